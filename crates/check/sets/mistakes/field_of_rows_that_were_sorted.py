# expect: unknown-field 5
from servers.crm import list_deals

deals = sorted((await list_deals())["deals"], key=lambda deal: deal["amount"])
print(deals[0]["titel"])
