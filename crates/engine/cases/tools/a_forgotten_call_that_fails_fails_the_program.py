# expect: raised ToolError: no room
# servers: demo
from servers.demo import fail


def save():
    return fail(message="no room")


save()
"saved"
