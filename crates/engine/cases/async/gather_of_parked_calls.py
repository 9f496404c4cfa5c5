# expect: value ["a", "b", "c"]
# freeze: true
import asyncio

from tidegate import call

replies = await asyncio.gather(*(call("later", n=n) for n in "abc"))
[reply["n"] for reply in replies]
