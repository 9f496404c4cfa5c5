# expect: undefined-name 5
from servers.forge import list_issues

issues = (await list_issues(owner="a", repo="b"))["issues"]
print([issue["title"] for issue in issues if isue["state"] == "open"])
