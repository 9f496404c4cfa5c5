from servers.forge import get_issue, get_repository

place = ["acme", "rocket"]
print((await get_repository(*place))["stars"], (await get_issue(*place, 7))["title"], (await get_issue(*place, number=7))["title"])
