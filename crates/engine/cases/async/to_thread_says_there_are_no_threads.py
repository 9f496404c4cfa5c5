# expect: value true
import asyncio

try:
    value = await asyncio.to_thread(sum, [1, 2, 3])
    # Running it in place is as good an answer as refusing.
    return value == 6
except (RuntimeError, OSError, NotImplementedError):
    return True
