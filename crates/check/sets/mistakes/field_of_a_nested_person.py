# expect: unknown-field 5
from servers.forge import list_issues

answer = await list_issues(owner="acme", repo="rocket")
by = {issue["number"]: issue["author"]["username"] for issue in answer["issues"]}
print(by)
