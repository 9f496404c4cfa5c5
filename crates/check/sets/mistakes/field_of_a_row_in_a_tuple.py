# expect: unknown-field 6
from servers.crm import list_deals

pairs = [(deal["id"], deal) for deal in (await list_deals())["deals"]]
for name, deal in pairs:
    print(name, deal["curency"])
