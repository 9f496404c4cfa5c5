import asyncio


async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


squares = [i * i async for i in ticks(4)]
async for i in ticks(2):
    squares.append(i)
squares
