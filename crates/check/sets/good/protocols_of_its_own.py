class Table:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        return [row[key] for row in self.rows]

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __contains__(self, key):
        return any(key in row for row in self.rows)

    def __add__(self, other):
        return Table(self.rows + list(other))

    def __lt__(self, other):
        return len(self) < len(other)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        return False

async with Table([{"a": 1}]) as table:
    print(table["a"], len(table), list(table), "a" in table, len(table + [{"a": 2}]), table < [1, 2])
