# expect: wrong-type 5
from servers.forge import get_issue, list_issues

issue = (await list_issues(owner="a", repo="b"))["issues"][0]
print(await get_issue(owner="a", repo="b", number=str(issue["number"])))
