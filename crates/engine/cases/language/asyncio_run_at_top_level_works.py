# expect: value [1, 2]
import asyncio


async def main():
    await asyncio.sleep(0)
    return [1, 2]


asyncio.run(main())
