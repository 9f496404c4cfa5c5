# expect: ["ServerError",
#   "silent.never did not answer within 1 s (setting `timeout` of server \"silent\"); it may still have been carried out",
#   "steady: well", "silent: well", "silent: well"]

import asyncio

from servers.silent import never, well
from servers.steady import well as steady

late, other, beside = await asyncio.gather(never(), steady(), well(), return_exceptions=True)
[type(late).__name__, str(late), other, beside, await well()]
