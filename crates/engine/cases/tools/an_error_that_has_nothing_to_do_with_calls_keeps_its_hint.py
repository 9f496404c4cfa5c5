# expect: raised AttributeError: 'dict' object has no attribute 'name'
# servers: demo
# hint: It is a dict: write ['name'] instead of .name.
import asyncio

from servers.demo import slow

calls = [slow("a"), slow("b")]
device = {"name": "lamp"}
device.name
await asyncio.gather(*calls)
