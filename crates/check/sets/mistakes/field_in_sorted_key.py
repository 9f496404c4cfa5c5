# expect: unknown-field 5
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket")
busiest = sorted(found["issues"], key=lambda issue: issue["comment_count"], reverse=True)
print([issue["number"] for issue in busiest[:5]])
