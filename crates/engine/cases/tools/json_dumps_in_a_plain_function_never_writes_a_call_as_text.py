# expect: raised MissingAwait: return json.dumps(await echo("x"), default=str)
# servers: demo
import json

from servers.demo import echo


def plain():
    return json.dumps(echo("x"), default=str)


plain()
