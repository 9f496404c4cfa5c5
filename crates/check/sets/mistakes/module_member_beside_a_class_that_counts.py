# expect: certain-crash 15
import math

class Report:
    def __init__(self):
        self.total = 0
        self.rows = []

    def add(self, amount):
        self.total += amount
        self.rows.append(amount)


report = Report()
print(math.sqr(4), report.total)
