# expect: value 11
import asyncio

from tidegate import call


async def main():
    five, six = await asyncio.gather(call("add", a=2, b=3), call("add", a=3, b=3))
    return five + six


answer = asyncio.run(main())
answer
