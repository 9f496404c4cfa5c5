# expect: value ["a", "b", 2]
# level: hardened
# servers: demo
from servers.demo import echo
import demo

devices = await demo.get_devices()
[(await echo("a"))["text"], (await demo.echo("b"))["text"], devices["count"]]
