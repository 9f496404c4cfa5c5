# expect: unknown-module 2
from collections import defaultDict
from servers.crm import list_deals

totals = defaultDict(float)
for deal in (await list_deals())["deals"]:
    totals[deal["stage"]] += deal["amount"]
print(dict(totals))
