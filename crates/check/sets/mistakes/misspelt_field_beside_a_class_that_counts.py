# expect: unknown-field 17
from servers.crm import list_deals

class Report:
    def __init__(self):
        self.total = 0
        self.rows = []

    def add(self, amount):
        self.total += amount
        self.rows.append(amount)


report = Report()
for deal in (await list_deals())["deals"]:
    report.add(1)
    print(deal["amout"])
