# expect: missing-await 7
from servers.crm import list_deals

async def total(stage):
    return sum(deal["amount"] for deal in (await list_deals(stage=stage))["deals"])

print(total("won") + total("lost"))
