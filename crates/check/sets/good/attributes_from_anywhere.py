class Row:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        return None


row = Row(a=1, b=2)
setattr(row, "c", 3)
[row.a, row.c, row.missing]
