# expect: value ["hi", "demo", "createIssue"]
# servers: demo
from servers.demo import *

first = await echo("hi")
second = await createIssue("a", "b", "c")
[first["text"], second["server"], second["tool"]]
