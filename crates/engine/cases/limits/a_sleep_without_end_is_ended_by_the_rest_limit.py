# expect: limit rest
# limits: {"rest_ms": 300}
import asyncio

await asyncio.sleep(float("inf"))
