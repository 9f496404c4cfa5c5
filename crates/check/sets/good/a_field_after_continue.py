from servers.crm import list_deals

for deal in (await list_deals())["deals"]:
    print(deal["title"])
    continue
    print(deal["titel"])
