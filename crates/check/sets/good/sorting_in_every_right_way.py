from functools import cmp_to_key
from operator import attrgetter, itemgetter
from servers.crm import list_deals

deals = (await list_deals())["deals"]
print(sorted(deals, key=itemgetter("amount", "title"))[:1])
print(sorted(deals, key=lambda deal: (deal["stage"], -deal["amount"]), reverse=True)[:1])
print(sorted(deals, key=cmp_to_key(lambda a, b: (a["amount"] > b["amount"]) - (a["amount"] < b["amount"])))[:1])
print(sorted({"b": 1, "a": 2}.items(), key=itemgetter(1)), sorted("cab", reverse=True))
