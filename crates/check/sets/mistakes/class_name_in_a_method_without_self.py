# expect: undefined-name 6
class Report:
    limit = 3

    def cut(self, rows):
        return rows[:limit]

print(Report().cut([1, 2]))
