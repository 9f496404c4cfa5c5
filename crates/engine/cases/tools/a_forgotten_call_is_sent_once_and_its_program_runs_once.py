# expect: value null
# servers: demo
# stdout: "after\n"
# stderr-has: line 5: echo(...) was not awaited; it is sent now
from servers.demo import echo


def remember():
    echo("this")


remember()
print("after")
