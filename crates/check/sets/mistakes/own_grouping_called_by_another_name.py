# expect: certain-crash 15
from collections import defaultdict


class Groups:
    def __init__(self):
        self.by = defaultdict(list)

    def add(self, key, row):
        self.by[key].append(row)


groups = Groups()
groups.add("a", 1)
print(groups.total())
