# expect: certain-crash 6
class Report:
    def __init__(self, title, rows):
        self.title, self.rows = title, rows

print(Report("a").title)
