# expect: value "one"
# servers: demo
# stderr-has: was never awaited, so nothing was sent
from servers.demo import echo

choices = {"one": echo("one"), "two": echo("two")}
(await choices["one"])["text"]
