import asyncio


async def worker(name, delay, results):
    await asyncio.sleep(delay)
    results.append(name)
    return name.upper()


async def main():
    results = []
    names = await asyncio.gather(worker("b", 0.02, results), worker("a", 0.01, results))
    return names, results


asyncio.run(main())
