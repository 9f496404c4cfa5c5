# expect: contained
# limits: {"wall_ms": 500}
import asyncio

await asyncio.get_running_loop().create_future()
