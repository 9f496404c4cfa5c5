# expect: wrong-type 6
from servers.forge import list_issues, add_comment

found = await list_issues(owner="acme", repo="rocket", state="open")
for issue in found["issues"]:
    await add_comment(owner="acme", repo="rocket", number=str(issue["number"]), body="Still relevant?")
