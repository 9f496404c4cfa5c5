# expect: missing-argument 6
from functools import partial
from servers.forge import create_issue

report = partial(create_issue, owner="acme", repo="rocket")
made = await report(body="It leaks")
print(made["number"])
