# expect: certain-crash 14
from enum import Enum

from servers.forge import list_issues


class State(Enum):
    OPEN = "open"
    CLOSED = "closed"


found = await list_issues(owner="acme", repo="rocket")
print(found["total"])
wanted = State.OPENED
