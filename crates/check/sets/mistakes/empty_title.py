# expect: wrong-value 4
from servers.forge import create_issue

await create_issue(owner="acme", repo="rocket", title="")
