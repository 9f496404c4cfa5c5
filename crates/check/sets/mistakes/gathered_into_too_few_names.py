# expect: certain-crash 7
import asyncio

async def double(number):
    return number * 2

a, b = await asyncio.gather(double(1), double(2), double(3))
print(a, b)
