from servers.crm import list_deals

answer = await list_deals()
while True:
    print(len(answer["deals"]))
    break
else:
    print(answer["total"])
