# expect: wrong-type 5
from servers.forge import get_issue

owner, repo, number = "acme/rocket/7".split("/")
print(await get_issue(owner=owner, repo=repo, number=number))
