# expect: unknown-tool 2
from servers.forge import getIssues

issues = await getIssues(owner="acme", repo="rocket", state="open")
len(issues["issues"])
