# expect: value ["{\"text\": \"a\"}", "[{\"text\": \"b\"}]", "{\"text\": \"c\"}"]
# servers: demo
import json

from servers.demo import echo


def plain():
    return [json.dumps(echo("a")), json.dumps([echo("b")])]


[*plain(), json.dumps(echo("c"), default=str)]
