# expect: unknown-field 7
from collections import defaultdict
from servers.crm import list_deals

totals = defaultdict(float)
for deal in (await list_deals())["deals"]:
    totals[deal["stage"]] += deal["value"]
print(dict(totals))
