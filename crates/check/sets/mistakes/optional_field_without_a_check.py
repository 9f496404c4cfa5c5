# expect: unknown-field 5
from servers.crm import list_deals

for deal in (await list_deals(stage="proposal"))["deals"]:
    print(deal["title"], deal["close_date"])
