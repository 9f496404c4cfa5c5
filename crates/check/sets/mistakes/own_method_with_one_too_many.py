# expect: certain-crash 10
class Report:
    def __init__(self):
        self.rows = []

    def add(self, row):
        self.rows.append(row)

report = Report()
report.add("a", 1)
