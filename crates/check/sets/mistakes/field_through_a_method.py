# expect: unknown-field 7
from servers.crm import list_deals

class Pipeline:
    async def load(self):
        answer = await list_deals(stage="won")
        return sum(deal["value"] for deal in answer["deals"])

print(await Pipeline().load())
