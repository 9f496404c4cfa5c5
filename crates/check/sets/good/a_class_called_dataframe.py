class DataFrame:
    def __getattr__(self, name):
        return lambda *values: (name, values)

frame = DataFrame()
print(frame.groupBy("a"), frame.anything(1))
