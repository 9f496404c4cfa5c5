# expect: raised MissingAwait: return await echo("x")
# servers: demo
import json

from servers.demo import echo


def ask():
    return echo("x")


def plain():
    return json.dumps(ask(), default=str)


plain()
