# expect: unknown-server 2
from servers import forge, jira

issues = await forge.list_issues(owner="acme", repo="rocket")
for issue in issues["issues"]:
    await jira.create_ticket(summary=issue["title"])
