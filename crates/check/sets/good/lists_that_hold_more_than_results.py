from servers.forge import get_issue, list_issues

rows = []
for number in (1, 2):
    issue = await get_issue(owner="acme", repo="rocket", number=number)
    rows.append({**issue, "age": number})
print(rows[0]["age"], rows[-1]["title"])

mixed = []
mixed.append(await get_issue(owner="acme", repo="rocket", number=1))
mixed.append({"titel": "mine"})
print(mixed[1]["titel"])


def fill(found):
    found.append({"titel": "from elsewhere"})
    found[0] = {"nummer": 1}


given = []
given.append(await get_issue(owner="acme", repo="rocket", number=1))
fill(given)
print(given[0]["nummer"], given[1]["titel"])

named = []
other = named
named.append(await get_issue(owner="acme", repo="rocket", number=1))
other.append({"titel": "by another name"})
print(named[1]["titel"])

pages = []
pages.append(await list_issues(owner="acme", repo="rocket"))
pages += [{"titel": "added"}]
print(pages[1]["titel"])

replaced = []
replaced.append(await get_issue(owner="acme", repo="rocket", number=1))
replaced[0] = {"titel": "set"}
print(replaced[0]["titel"])

sliced = []
sliced.append(await get_issue(owner="acme", repo="rocket", number=1))
sliced[1:] = [{"titel": "put in"}]
sliced.insert(0, {"titel": "first"})
print(sliced[0]["titel"], sliced[-1]["titel"])


async def collected():
    found = []
    for number in (1, 2):
        found.append(await get_issue(owner="acme", repo="rocket", number=number))
    return found


issues = await collected()
issues.append({"titel": "after"})
print(issues[-1]["titel"])
for issue in issues:
    issue["seen"] = True
print([issue["seen"] for issue in issues])


def deeper():
    global late
    late = [{"titel": "global"}]


late = []
late.append(await get_issue(owner="acme", repo="rocket", number=1))
deeper()
print(late[0]["titel"])
