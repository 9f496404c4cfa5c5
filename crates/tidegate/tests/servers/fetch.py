# expect: {"page": true, "piece": "<ht", "refused": true}

import asyncio

from servers.fetch import fetch

# As it is: to simplify a page, this server would first install something.
whole, piece = await asyncio.gather(fetch(page, raw=True), fetch(url=page, raw=True, max_length=3))
try:
    await fetch(page + "nowhere", raw=True)
    refused = False
except ToolError as error:
    refused = "404" in str(error)

{
    "page": "<p>High water at noon.</p>" in whole,
    "piece": piece.partition("/:\n")[2][:3],
    "refused": refused,
}
