# expect: value ["time", "get_current_time", {"timezone": "UTC"}]
# servers: time
import time
from servers.time import get_current_time

sent = await get_current_time("UTC")
assert time.time() > 0
[sent["server"], sent["tool"], sent["arguments"]]
