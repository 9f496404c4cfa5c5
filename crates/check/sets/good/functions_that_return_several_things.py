import asyncio
import functools

from servers.forge import get_issue, get_repository, list_issues


async def with_age(number):
    issue = await get_issue(owner="acme", repo="rocket", number=number)
    issue["age"] = 3
    return issue


async def or_nothing(number):
    try:
        return await get_issue(owner="acme", repo="rocket", number=number)
    except Exception as error:
        return {"error": str(error), "titel": "?"}


async def one_of(kind):
    if kind == "issue":
        return await get_issue(owner="acme", repo="rocket", number=1)
    return await get_repository(owner="acme", repo="rocket")


async def falls_through(number):
    for _ in range(3):
        issue = await get_issue(owner="acme", repo="rocket", number=number)
        if issue["state"] == "open":
            return issue


def in_german(function):
    @functools.wraps(function)
    async def called(*arguments):
        issue = await function(*arguments)
        return {"titel": issue["title"], "nummer": issue["number"]}

    return called


@in_german
async def translated(number):
    return await get_issue(owner="acme", repo="rocket", number=number)


async def pages():
    page = await list_issues(owner="acme", repo="rocket")
    yield page["issues"]


def titles(issue):
    return {"titel": issue["title"]}


async def reshaped(number):
    issue = await get_issue(owner="acme", repo="rocket", number=number)
    issue = {"titel": issue["title"], "mine": issue}
    return issue


async def load(number):
    return await get_issue(owner="acme", repo="rocket", number=number)


async def changed():
    global load

    async def load(number):
        return {"titel": str(number)}


class Cache:
    async def get(self, number):
        return {"titel": number}


async def get(number):
    return (await Cache().get(number))["titel"]


def shown(row):
    return row.get("titel") or row["title"]


def either(row):
    return row["titel"] if "titel" in row else row["title"]


def of_anything(row):
    return row["titel"]


async def main():
    print((await with_age(1))["age"])
    print((await or_nothing(None))["titel"])
    print((await one_of("repo"))["stars"], (await one_of("issue"))["title"])
    found = await falls_through(1)
    print(found and found["title"])
    print((await translated(1))["titel"])
    async for page in pages():
        print([titles(issue)["titel"] for issue in page])
    print((await reshaped(1))["titel"])
    await changed()
    print((await load(2))["titel"], await get(3))
    issue = await get_issue(owner="acme", repo="rocket", number=1)
    print(shown(issue), either(issue))
    print(of_anything({"titel": 1}), of_anything(titles(issue)))
    rows = await asyncio.gather(*[or_nothing(n) for n in (None, None)], return_exceptions=True)
    print([row["titel"] for row in rows if isinstance(row, dict)])


await main()
