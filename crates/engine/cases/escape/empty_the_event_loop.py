# expect: contained
# limits: {"wall_ms": 1000, "cpu_ms": 1000}
import asyncio

loop = asyncio.get_running_loop()
for name in ("_ready", "_scheduled"):
    queue = getattr(loop, name, None)
    if queue is not None:
        queue.clear()
await asyncio.sleep(0)
