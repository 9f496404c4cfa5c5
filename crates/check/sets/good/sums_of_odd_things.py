from servers.crm import list_deals

deals = (await list_deals())["deals"]
print(sum((deal["amount"] for deal in deals), start=0.0), sum([[1], [2]], []), sum(deal["stage"] == "won" for deal in deals), max([len(deal["title"]) for deal in deals], default=0))
