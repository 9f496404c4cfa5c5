from servers.crm import list_deals

deals = (await list_deals())["deals"]
{"count": len(deals), "best": max(deals, key=lambda deal: deal["amount"])["title"] if deals else None}
