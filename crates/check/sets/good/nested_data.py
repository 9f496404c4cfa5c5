orders = [
    {"id": 1, "lines": [{"sku": "a", "qty": 2, "price": 1.5}, {"sku": "b", "qty": 1, "price": 4}]},
    {"id": 2, "lines": []},
]
totals = {order["id"]: sum(line["qty"] * line["price"] for line in order["lines"]) for order in orders}
best = max(totals, key=totals.get)
{"totals": totals, "best": best}
