# expect: value {"text": "x", "tags": ["a"]}
# servers: demo
from servers.demo import echo

tags = ["a"]
made = echo("x", tags=tags)
tags.append("b")
await made
