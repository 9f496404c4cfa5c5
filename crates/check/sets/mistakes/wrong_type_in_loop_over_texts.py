# expect: wrong-type 5
from servers.forge import get_issue

for number in "12 15 18".split():
    issue = await get_issue(owner="acme", repo="rocket", number=number)
    print(issue["title"])
