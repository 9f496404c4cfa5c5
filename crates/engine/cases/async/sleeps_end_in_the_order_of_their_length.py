# expect: value ["a", "b", "c"]
# freeze: true
import asyncio

order = []


async def after(seconds, name):
    await asyncio.sleep(seconds)
    order.append(name)


await asyncio.gather(after(0.06, "c"), after(0.02, "a"), after(0.04, "b"))
order
