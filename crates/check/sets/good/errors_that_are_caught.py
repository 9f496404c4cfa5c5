from servers.forge import get_issue, create_issue

problems = []
try:
    await get_issue(owner="acme", repo="rocket", number="nine")
except ToolError as error:
    problems.append((error.kind, str(error)))
try:
    await create_issue(owner="acme", repo="rocket")
except TypeError as error:
    problems.append(str(error))
try:
    from servers.forge import not_there
except ImportError:
    not_there = None
issue = await get_issue("acme", "rocket", 1)
try:
    print(issue["reactions"])
except KeyError:
    print("no reactions")
problems
