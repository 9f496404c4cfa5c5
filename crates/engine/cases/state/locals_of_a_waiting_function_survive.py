# expect: value [3, "outer", 10]
# freeze: true
from tidegate import call


async def inner(depth, total):
    if depth == 0:
        await call("later")
        return total
    return await inner(depth - 1, total + depth)


async def outer():
    name = "outer"
    waited = [await call("later") for _ in range(3)]
    return [len(waited), name, await inner(4, 0)]


await outer()
