# expect: ["ServerError",
#   "crash.die: the connection broke before an answer came (the program ended with exit status: 7); it may still have been carried out",
#   "steady: well", "crash: well"]

import asyncio

from servers.crash import die, well
from servers.steady import well as steady

died, other = await asyncio.gather(die(), steady(), return_exceptions=True)
# It is started again for the next call.
[type(died).__name__, str(died), other, await well()]
