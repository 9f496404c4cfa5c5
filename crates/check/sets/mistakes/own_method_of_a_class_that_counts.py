# expect: certain-crash 13
class Report:
    def __init__(self):
        self.total = 0
        self.rows = []

    def add(self, amount):
        self.total += amount
        self.rows.append(amount)


report = Report()
report.ad(1)
