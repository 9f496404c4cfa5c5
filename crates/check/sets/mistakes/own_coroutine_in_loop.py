# expect: missing-await 10
from servers.forge import list_issues


async def open_issues():
    found = await list_issues(owner="acme", repo="rocket", state="open")
    return found["issues"]


for issue in open_issues():
    print(issue["title"])
