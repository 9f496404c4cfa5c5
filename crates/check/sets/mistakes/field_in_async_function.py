# expect: unknown-field 8
import asyncio
from servers.crm import list_deals


async def won():
    deals = await list_deals(stage="won")
    return sum(deal["value"] for deal in deals["deals"])


print(await won())
