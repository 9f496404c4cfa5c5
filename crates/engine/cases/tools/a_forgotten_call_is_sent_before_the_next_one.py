# expect: value "next"
# servers: demo
# freeze: true
# stderr-has: line 6: slow(...) was not awaited; it is sent now, before the next call
import asyncio
from servers.demo import slow


def remember(text):
    return slow(text)


remember("first")
both = await asyncio.gather(slow("next"), slow("beside"))
both[0]["text"]
