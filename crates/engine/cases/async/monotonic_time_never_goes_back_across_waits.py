# expect: value true
# freeze: true
import asyncio
import time

from tidegate import call

stamps = [time.monotonic()]
for _ in range(3):
    await call("later")
    stamps.append(time.monotonic())
    await asyncio.sleep(0.01)
    stamps.append(time.monotonic())
stamps == sorted(stamps)
