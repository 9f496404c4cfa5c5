# expect: unknown-field 8
from servers.forge import get_issue

issues = []
for number in range(1, 4):
    issues.append(await get_issue(owner="acme", repo="rocket", number=number))
issues.sort(key=lambda issue: issue["number"])
print(issues[0]["titel"])
