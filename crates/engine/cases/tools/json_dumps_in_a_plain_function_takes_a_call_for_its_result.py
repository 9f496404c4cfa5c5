# expect: value "{\"text\": \"x\"}"
# servers: demo
import json

from servers.demo import echo


def plain():
    return json.dumps(echo("x"), default=str)


plain()
