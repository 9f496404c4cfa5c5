# expect: value [1, 3, "Runner is closed"]
import asyncio

from tidegate import call


async def one(number):
    await asyncio.sleep(0)
    return number


async def sum_of(a, b):
    return await call("add", a=a, b=b)


with asyncio.Runner() as runner:
    found = [runner.run(one(1)), runner.run(sum_of(1, 2))]
try:
    runner.run(one(2))
except RuntimeError as error:
    found.append(str(error))
found
