# expect: unknown-field 4
from servers.crm import list_deals

print(max((await list_deals())["deals"], key=lambda deal: deal["ammount"]))
