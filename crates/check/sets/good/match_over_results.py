from servers.crm import list_deals

for deal in (await list_deals())["deals"]:
    match deal:
        case {"stage": "won", "amount": amount} if amount > 10:
            print("big", amount)
        case {"stage": ("lead" | "qualified") as stage, **rest}:
            print(stage, len(rest))
        case {"closes_on": str(when)}:
            print(when)
        case _:
            print(deal["title"])
