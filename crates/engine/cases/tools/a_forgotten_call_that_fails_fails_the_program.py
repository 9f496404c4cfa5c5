# expect: raised ToolError: no room
# servers: demo
from servers.demo import fail


def save():
    fail(message="no room")


save()
"saved"
