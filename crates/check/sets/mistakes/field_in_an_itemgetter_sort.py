# expect: unknown-field 5
from servers.crm import list_deals

deals = (await list_deals())["deals"]
deals.sort(key=lambda deal: (deal["stage"], -deal["ammount"]))
print(deals[0]["title"])
