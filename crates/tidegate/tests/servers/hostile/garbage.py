# expect: ["garbage: well", "steady: well", "garbage: well", "steady: well"]

import asyncio

from servers.garbage import well
from servers.steady import well as steady

await asyncio.gather(*(call() for call in [well, steady] * 2))
