# expect: wrong-value 6
from servers.crm import list_deals

totals = {}
for stage in ["won", "lost", "pending"]:
    deals = (await list_deals(stage=stage))["deals"]
    totals[stage] = sum(deal["amount"] for deal in deals)
print(totals)
