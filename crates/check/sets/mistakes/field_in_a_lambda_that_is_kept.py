# expect: unknown-field 4
from servers.crm import list_deals

by_amount = lambda deal: deal["ammount"]
deals = sorted((await list_deals())["deals"], key=by_amount, reverse=True)
print(deals[:3])
