# expect: ["garbage: well", "steady: well", "garbage: well", "steady: well", "ServerError", true, "garbage: well"]

import asyncio

from servers.garbage import mumble, well
from servers.steady import well as steady

answers = await asyncio.gather(*(call() for call in [well, steady] * 2))
try:
    # Half an answer: nothing else will come, so this call fails, and only this one.
    await mumble()
except ToolError as error:
    kind, unreadable = type(error).__name__, "not readable" in str(error)

[*answers, kind, unreadable, await well()]
