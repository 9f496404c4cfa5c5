# expect: value "rested"
# limits: {"wall_ms": 300}
import asyncio

await asyncio.sleep(0.6)
"rested"
