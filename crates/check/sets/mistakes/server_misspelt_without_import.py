# expect: unknown-server 2
deals = await servers.cmr.list_deals(stage="won")
sum(deal["amount"] for deal in deals["deals"])
