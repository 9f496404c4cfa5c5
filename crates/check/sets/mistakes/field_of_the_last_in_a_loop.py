# expect: unknown-field 7
from servers.forge import listCommits

last = None
for commit in (await listCommits(owner="a", repo="b"))["result"]:
    last = commit
print(last["mesage"])
