# expect: value ["one", ["demo"]]
# servers: demo
# freeze: true
import servers
from servers.demo import echo

[(await echo("one"))["text"], dir(servers)]
# --- next
# expect: value [["time"], "time", "two"]
# servers: time
from servers.time import get_current_time

sent = await get_current_time("UTC")
old = await echo("two")
[dir(servers), sent["server"], old["text"]]
# --- next
# expect: raised ModuleNotFoundError: servers.demo
# servers: time
from servers.demo import get_devices
