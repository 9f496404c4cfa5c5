class Said:
    def __init__(self, other):
        self.other = other

    def label(self):
        return f"said {self.other}"


class Column:
    def __eq__(self, other):
        return Said(other)

    def __gt__(self, other):
        return Said(other)

    def __rmul__(self, other):
        return Said(other)

    def __index__(self):
        return 2

    def __hash__(self):
        return 1


v = Column()
print((5 == v).label(), ("x" == v).label(), (1 < v).label(), ([1] * v).label())
