# expect: unknown-field 11
from servers.crm import list_deals

groups = {}
for deal in (await list_deals())["deals"]:
    stage = deal["stage"]
    if stage not in groups:
        groups[stage] = []
    groups[stage].append(deal)
for stage in groups:
    print(stage, groups[stage][0]["titel"])
