# expect: wrong-value 4
from servers.crm import list_deals

deals = await list_deals(stage="Won")
print(sum(deal["amount"] for deal in deals["deals"]))
