# expect: raised TypeError
# servers: demo
# line: 7
# hint: when = datetime.datetime.fromisoformat(await slow("x"))
import datetime

from servers.demo import slow


def parse():
    when = datetime.datetime.fromisoformat(slow("x"))
    return when


parse()
