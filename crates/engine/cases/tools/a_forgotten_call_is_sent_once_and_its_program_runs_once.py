# expect: value null
# servers: demo
# stdout: "after\n"
# stderr-has: line 5: echo(...) was not awaited; it is sent now, at the end of the program
from servers.demo import echo


def remember():
    return echo("this")


remember()
print("after")
