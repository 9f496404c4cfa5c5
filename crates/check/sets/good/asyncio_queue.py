import asyncio


async def produce(queue):
    for n in range(3):
        await queue.put(n)
    await queue.put(None)


async def consume(queue):
    total = 0
    while (item := await queue.get()) is not None:
        total += item
    return total


queue = asyncio.Queue()
_, total = await asyncio.gather(produce(queue), consume(queue))
total
