from servers.crm import list_deals


class Box:
    def __init__(self):
        self.row = {}
        self.total = 0

    def add(self, more):
        self.row.update(more)
        self.total += len(more)


box = Box()
found = await list_deals()
box.row = found["deals"][0] if found["deals"] else {}
box.add({"am" + "out": 2})
print(box.total, [deal["amout"] for deal in found["deals"][:1]])
