# expect: ["100000000000000000000000000001 -18446744073709551617", "100000000000000000000 -18446744073709551616",
#   "ArgumentError", "ServerError", true, false, "numbers: well", "steady: well"]

from servers.numbers import given, unreadable, well, wide
from servers.steady import well as steady

found = await wide()
exact = f"{found['id']} {found['ids'][0]}"
sent = await given(a=10**20, b=-(2**64))
try:
    await given(a=10**20 + 1)
except ArgumentError as error:
    refused = type(error).__name__
try:
    await unreadable()
except ToolError as error:
    kind, said = type(error).__name__, str(error)

[exact, sent, refused, kind, "NaN" in said, "connection broke" in said, await well(), await steady()]
