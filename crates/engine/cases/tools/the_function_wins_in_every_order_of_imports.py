# expect: value ["a", "b", "c", "d", "e", "f", "g"]
# servers: demo
import servers.demo.echo

found = [await servers.demo.echo("a")]
from servers.demo import echo

found.append(await echo("b"))
import servers.demo as demo_server

found.append(await demo_server.echo("c"))
from servers.demo.echo import echo as inner

found.append(await inner("d"))
import servers.demo.echo as by_module

found.append(await by_module("e"))
import importlib

found.append(await importlib.import_module("servers.demo.echo")("f"))
from servers.demo import *

found.append(await echo("g"))
[one["text"] for one in found]
