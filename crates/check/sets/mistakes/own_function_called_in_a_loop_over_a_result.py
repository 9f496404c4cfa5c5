# expect: certain-crash 9
from servers.crm import list_deals

def line(deal, width):
    return deal["title"].ljust(width)

deals = (await list_deals())["deals"]
for deal in deals:
    print(line(deal))
