# expect: undefined-name 12
from servers.crm import list_deals


class Report:
    def __init__(self, stage):
        self.stage = stage

    async def total(self):
        deals = await list_deals(stage=self.stage)
        amounts = [deal["amount"] for deal in deals["deals"]]
        return sum(amount)


report = Report("won")
print(await report.total())
