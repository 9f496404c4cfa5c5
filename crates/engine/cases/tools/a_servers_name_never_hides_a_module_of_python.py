# expect: raised AttributeError: get_current_time
# servers: demo time
# hint: module 'time' is Python's own; the server is servers.time
import time

assert time.monotonic() > 0
await time.get_current_time("Europe/Berlin")
