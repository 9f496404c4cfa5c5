# expect: [52428800, true, "steady: well", "flood: well"]

import asyncio

from servers.flood import flood, well
from servers.steady import well as steady

much, other = await asyncio.gather(flood(), steady())
[len(much), set(much) == {"~"}, other, await well()]
