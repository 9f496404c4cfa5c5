# expect: value ["local", "x"]
# servers: demo
from servers.demo import echo as ask


def echo(text):
    return {"text": "local"}


answer = echo("x")
[answer["text"], ask("x")["text"]]
