# expect: unknown-argument 5
from functools import partial
from servers.forge import get_issue

issue = partial(get_issue, ownr="acme", repo="rocket")
print(await issue(number=7))
