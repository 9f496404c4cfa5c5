import asyncio

from servers.weather import current


async def one(number):
    return number


a, b = await asyncio.gather(one(1), one(2))
(c, d), [e] = await asyncio.gather(one((1, 2)), one([3]))
first, *rest = await asyncio.gather(one(1), one(2), one(3))
calls = [one(1), one(2), one(3)]
f, g, h = await asyncio.gather(*calls)
i, j, k = await asyncio.gather(one(0), *[one(1), one(2)])
both = await asyncio.gather(one(1), one(2))
(oslo,) = await asyncio.gather(current(city="Oslo"))
try:
    m, n = await asyncio.gather(one(1))
except ValueError:
    m = n = 0
print(a, b, c, d, e, first, rest, f, g, h, i, j, k, both, oslo["city"], m, n)
