# expect: value 0
# freeze: true
from tidegate import call


async def numbers():
    n = 0
    while True:
        await call("later")
        yield n
        n += 1


stream = numbers()
await anext(stream)
# --- next
# expect: value [1, 2]
[await anext(stream), await anext(stream)]
