# expect: value 1
# servers: demo
# stderr: "line 5: echo(...) was never awaited, so nothing was sent\n"
from servers.demo import echo


def remember():
    echo("this")
    return 1


remember()
