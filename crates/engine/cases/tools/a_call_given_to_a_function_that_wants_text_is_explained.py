# expect: raised TypeError
# servers: demo
# line: 12
# hint: return await slow("x")
import datetime

from servers.demo import slow


def ask():
    return slow("x")


def parse():
    text = ask()
    return datetime.datetime.fromisoformat(text)


parse()
