# expect: value ["x", true]
# servers: demo
import servers.demo as demo
from servers.demo import echo

import servers.demo.echo
import demo.echo as again

[(await servers.demo.echo("x"))["text"], echo is demo.echo is servers.demo.echo is again]
