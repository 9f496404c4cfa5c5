"""Waiting for something to happen, without the model.

    order = await wait_until(lambda: ready(order_id), every=30, timeout=3600)

Between two looks the program rests: it holds no memory and no thread of the gateway, and goes on
after a restart.
"""

import asyncio
import inspect
import time


async def wait_until(check, every=30, timeout=3600):
    """Calls `check` every so many seconds until it gives something true, and returns that.

    `check` is a function, async or not, or one that returns a call of a tool. After `timeout` seconds
    a TimeoutError says what it gave last.
    """
    if not callable(check):
        raise TypeError("wait_until(): check is a function that is called again and again; write `lambda: ...`")
    for name, number in (("every", every), ("timeout", timeout)):
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not number > 0:
            raise ValueError(f"wait_until(): {name} is a number of seconds above 0, not {number!r}")
    end = time.time() + timeout
    while True:
        found = check()
        if inspect.isawaitable(found):
            found = await found
        if found:
            return found
        left = end - time.time()
        if left <= 0:
            raise TimeoutError(f"wait_until(): nothing after {timeout} seconds; check gave {found!r} last")
        await asyncio.sleep(min(every, left))


PUBLIC = {"wait_until": wait_until}
