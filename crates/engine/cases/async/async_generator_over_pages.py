# expect: value ["p0", "p1", "p2"]
# freeze: true
from tidegate import call


async def pages(count):
    for n in range(count):
        yield (await call("later", page=f"p{n}"))["page"]


[page async for page in pages(3)]
