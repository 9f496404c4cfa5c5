# expect: unknown-field 7
from servers.crm import list_deals

totals = {}
for deal in (await list_deals())["deals"]:
    stage = deal["stage"]
    totals[stage] = totals.get(stage, 0) + deal["amout"]
print(totals)
