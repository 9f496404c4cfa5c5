class Connection:
    def __init__(self):
        self.rows = None
        self.count = 0
        self.name = None

    def open(self):
        self.rows = {"a": 1}
        self.name = "c"

    def use(self):
        return self.rows["a"] + self.name.count("c")


one = Connection()
one.open()
print(one.use())
one.count = "s"
print(one.count.upper())


def fill(other):
    other.count = [1]


fill(one)
print(one.count[0])
