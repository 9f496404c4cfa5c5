# expect: syntax 7
from servers.crm import list_deals

deals = await list_deals(stage="won")
total = 0
for deal in deals["deals"]:
total += deal["amount"]
print(total)
