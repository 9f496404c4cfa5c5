# Reads and writes of several that go on independently, so that their order is another one after each kill; each
# looks at whether it got its own answer.
import asyncio
from servers.desk import book, look


async def branch(one):
    seen = 0
    for at in range(3):
        key = f"{name}-{one}{at}"
        assert (await look(key=key))["key"] == key
        seen += 1
    key = f"{name}-{one}"
    assert (await book(key=key)) == {"tool": "book", "key": key}
    assert (await look(key=key + "z"))["key"] == key + "z"
    return seen


sum(await asyncio.gather(*[branch(one) for one in "abcdef"]))
