# expect: unknown-tool 2
from servers.crm import CRM

client = CRM()
print(await client.list_deals())
