# expect: value 1
# servers: demo
# stderr-has: line 5: echo(...) was not awaited; it is sent now
from servers.demo import echo


def remember():
    echo("this")
    return 1


remember()
