# expect: ["ServerError", "?", "steady: well", "flood: well"]

import asyncio

from servers.flood import flood, well
from servers.steady import well as steady

much, other = await asyncio.gather(flood(), steady(), return_exceptions=True)
[type(much).__name__, str(much), other, await well()]
