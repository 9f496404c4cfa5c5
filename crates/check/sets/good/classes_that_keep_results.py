from servers.crm import list_deals


class Deals:
    def __init__(self, deals):
        self.deals = deals
        self.first = None

    def extend(self, more):
        self.deals += more
        for deal in self.deals:
            deal.update({name: 1 for name in ("am" + "out",)})

    def each(self):
        return [deal["amout"] for deal in self.deals]


found = await list_deals()
deals = Deals(found["deals"])
deals.extend([{"amount": 1}])
print(deals.each(), [deal["amout"] for deal in found["deals"]])
