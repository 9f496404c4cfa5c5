# expect: certain-crash 5
from servers.crm import list_deals

deals = (await list_deals())["deals"]
print(", ".join(deal["currency"].toupper() for deal in deals))
