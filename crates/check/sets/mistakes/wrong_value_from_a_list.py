# expect: wrong-value 7
from servers.crm import list_deals

for stage in ("won", "closed"):
    deals = await list_deals(stage=stage)
    print(stage, len(deals["deals"]))
await list_deals(stage="open")
