def show(value):
    return value

def show(value, *, digits=2):
    return round(value, digits)

if show(1.234) > 1:
    def late(a):
        return a
else:
    def late(a, b):
        return a + b
print(show(1.2345, digits=1), late(1))
