# expect: value [true, "hello", "again", true]
# servers: demo
import sys

import demo
from demo import echo
import demo.create_issue
import servers

first = await echo("hello")
second = await demo.echo("again")
[demo is servers.demo, first["text"], second["text"], sys.modules["demo"] is sys.modules["servers.demo"]]
