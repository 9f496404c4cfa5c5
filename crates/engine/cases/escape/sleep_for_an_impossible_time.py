# expect: value true
import asyncio
import time

refused = []
for attempt in (lambda: time.sleep(-1), lambda: time.sleep(float("nan")), lambda: time.sleep(1e300)):
    try:
        attempt()
    except (ValueError, OverflowError, OSError):
        refused.append(True)
await asyncio.sleep(-5)
len(refused) == 3
