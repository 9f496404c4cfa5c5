# expect: value ["no room", "kept"]
# servers: demo
# stderr: ""
from servers.demo import echo, fail


def remember():
    echo("this")
    try:
        fail("no room")
    except ToolError as problem:
        return str(problem)
    return "saved"


def keep():
    unused = echo("that")
    return "kept"


[remember(), keep()]
