from servers.crm import list_deals

deals = [{**deal, "value": deal["amount"]} for deal in (await list_deals())["deals"]]
print(sum(deal["value"] for deal in deals))
