# expect: ["ToolError",
#   "the answer has 52428808 bytes, more than the 33554432 a program may receive at once (limit `call-result-bytes`); ask for less: filter, page, or select fields",
#   "steady: well", "flood: well"]

import asyncio

from servers.flood import flood, well
from servers.steady import well as steady

much, other = await asyncio.gather(flood(), steady(), return_exceptions=True)
[type(much).__name__, str(much), other, await well()]
