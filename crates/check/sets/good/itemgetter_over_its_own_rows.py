from operator import itemgetter
from servers.crm import list_deals

rows = [{"id": deal["id"], "ammount": deal["amount"]} for deal in (await list_deals())["deals"]]
rows.sort(key=itemgetter("ammount"))
print([itemgetter("ammount")(row) for row in rows])
