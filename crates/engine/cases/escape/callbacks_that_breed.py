# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import asyncio

loop = asyncio.get_running_loop()


def again():
    loop.call_soon(again)


again()
await asyncio.sleep(3600)
