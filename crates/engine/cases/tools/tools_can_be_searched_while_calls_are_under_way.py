# expect: value [{"text": "a"}, "get_devices"]
# servers: demo
import asyncio
from servers.demo import slow


async def search():
    await asyncio.sleep(0)
    return search_tools("lamps")[0]["name"]


await asyncio.gather(slow(text="a"), search())
