# expect: value 4950
import asyncio

from tidegate import call

replies = await asyncio.gather(*(call("later", n=n) for n in range(100)))
sum(reply["n"] for reply in replies)
