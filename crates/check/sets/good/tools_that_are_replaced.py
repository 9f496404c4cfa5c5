import servers.forge as forge
from unittest import mock

log = []


async def dry(**given):
    log.append(given)
    return {"number": 0, "dry": True}


async def close_issue(number):
    return {"closed": number}


forge.create_issue = dry
forge.close_issue = close_issue
setattr(forge, "get_issue", dry)
with mock.patch.object(forge, "list_issues", dry):
    made = await forge.create_issue(owner="a", repo="b", title="x", reviewer="me")
    print(made["dry"], (await forge.close_issue(3))["closed"], (await forge.get_issue(n=1))["dry"])
