# expect: value "set"
# limits: {"cpu_ms": 2000, "wall_ms": 5000, "memory_mib": 64}
import asyncio

loop = asyncio.get_running_loop()
for n in range(50_000):
    loop.call_later(3600 + n, print, n)
loop.call_later(float("inf"), print)
loop.call_later(-1e300, print)
"set"
