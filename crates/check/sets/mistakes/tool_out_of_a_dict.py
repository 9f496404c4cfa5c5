# expect: unknown-argument 5
from servers.forge import list_issues, list_commits

sources = {"issues": list_issues, "commits": list_commits}
print(await sources["issues"](owner="acme", repository="rocket"))
