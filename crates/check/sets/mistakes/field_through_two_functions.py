# expect: unknown-field 9
from servers.forge import list_issues

async def load(repo):
    answer = await list_issues(owner="acme", repo=repo, state="open")
    return answer["issues"]

def titles(issues):
    return [issue["name"] for issue in issues]

issues = await load("rocket")
print(titles(issues))
