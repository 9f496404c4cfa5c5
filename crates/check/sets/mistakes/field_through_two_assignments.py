# expect: unknown-field 7
from servers.forge import list_issues

answer = await list_issues(owner="a", repo="b")
issues = answer["issues"]
first = issues[0]
print(first["auther"])
