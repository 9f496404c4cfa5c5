# expect: unknown-server 4
import servers

issue = await servers.forg.get_issue(owner="a", repo="b", number=1)
print(issue["title"])
