from servers.crm import list_deals

worth = lambda deal: deal["amount"]
label = lambda row: row["labl"]
deals = (await list_deals())["deals"]
print(max(deals, key=worth, default=None), label({"labl": 1}))
