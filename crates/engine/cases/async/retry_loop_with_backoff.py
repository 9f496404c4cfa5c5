# expect: value [3, "fine"]
# freeze: true
import asyncio

from tidegate import ToolError, call

tries = 0
while True:
    tries += 1
    try:
        if tries < 3:
            await call("fail", message="busy")
        reply = await call("echo", state="fine")
        break
    except ToolError:
        await asyncio.sleep(0.005 * tries)
[tries, reply["state"]]
