# expect: value "still here"
import asyncio


def broken():
    raise RuntimeError("in a callback")


asyncio.get_running_loop().call_soon(broken)
await asyncio.sleep(0.01)
"still here"
