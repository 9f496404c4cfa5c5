# expect: value ["a", "b", "c"]
# servers: demo
# freeze: true
import asyncio

from servers.demo import slow

calls = [slow("a"), slow("b")]
third = slow("c")
calls.append(third)
[one["text"] for one in await asyncio.gather(*calls)]
