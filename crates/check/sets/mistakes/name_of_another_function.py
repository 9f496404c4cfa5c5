# expect: undefined-name 7
def load():
    rows = [1, 2]
    return rows

load()
print(rows)
