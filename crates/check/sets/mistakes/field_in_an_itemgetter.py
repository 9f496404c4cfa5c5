# expect: unknown-field 6
from operator import itemgetter
from servers.crm import list_deals

deals = (await list_deals())["deals"]
print(sorted(deals, key=itemgetter("ammount"))[:3])
