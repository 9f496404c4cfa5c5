# expect: value 30
from tidegate import call


async def total():
    return sum([await call("add", a=10, b=n) for n in (0, 10)])


total()
