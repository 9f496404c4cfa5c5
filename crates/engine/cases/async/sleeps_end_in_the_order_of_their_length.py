# expect: value ["a", "b", "c"]
# freeze: true
import asyncio

order = []
# From one moment, so that a pause of the machine between two tasks changes nothing.
now = asyncio.get_running_loop().time()


async def after(seconds, name):
    await asyncio.sleep(now + seconds - asyncio.get_running_loop().time())
    order.append(name)


await asyncio.gather(after(0.06, "c"), after(0.02, "a"), after(0.04, "b"))
order
