# expect: value ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
# servers: demo
# freeze: true
import asyncio

from servers.demo import slow

answers = await asyncio.gather(*[slow(str(n)) for n in range(10)])
[one["text"] for one in answers]
