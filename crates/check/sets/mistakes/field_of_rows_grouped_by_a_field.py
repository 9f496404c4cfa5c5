# expect: unknown-field 9
from collections import defaultdict
from servers.crm import list_deals

groups = defaultdict(list)
for deal in (await list_deals())["deals"]:
    groups[deal["stage"]].append(deal)
for stage, deals in groups.items():
    print(stage, sum(deal["ammount"] for deal in deals))
