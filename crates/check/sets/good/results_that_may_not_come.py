from servers.forge import get_issue, list_issues

issue = None
for attempt in range(3):
    try:
        issue = await get_issue(owner="acme", repo="rocket", number=attempt)
        break
    except ToolError as error:
        print("again", error)
if issue is None:
    issue = {"title": "none", "reactions": {"heart": 1}}
print(issue["title"])
cache = {}


async def title(number):
    if number not in cache:
        cache[number] = await get_issue("acme", "rocket", number)
    return cache[number]["title"]


titles = [await title(number) for number in (1, 2, 1)]
found = await list_issues("acme", "rocket") or {"issues": []}
[titles, [one["title"] for one in found["issues"]]]
