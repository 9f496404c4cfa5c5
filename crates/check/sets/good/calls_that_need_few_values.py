import asyncio
import functools
import itertools
import operator
import random
import re

seen, rows, line = {"a": 1}, [3, 1], "a-b"
print(seen.get("b"), seen.get("b", 0), seen.pop("c", None), dict(), dict(a=1), dict([("a", 1)], b=2), seen.setdefault("d"))
print(line.replace("-", "+"), line.replace("-", "+", 1), line.split(), line.split(sep="-", maxsplit=1), ", ".join(str(n) for n in rows))
print(max(rows), max(1, 2), max([], default=0), min(rows, key=abs), sum(rows, 5), sum([], start=3), round(1.5), round(2.345, ndigits=1))
print(getattr(line, "size", None), next(iter(rows)), next(iter([]), None), sorted(rows, key=operator.neg, reverse=True), int(), int("5", 16), str())
print(functools.reduce(operator.add, rows), functools.reduce(operator.add, [], 0), re.sub("a", "b", line), re.sub("a", "b", line, count=1))
print(list(range(3)), list(range(1, 3)), list(range(3, 0, -1)), list(range(len(rows) // 2)), rows[len(rows) // 2], list(zip(rows, line, strict=False)))
print([key for key, _ in itertools.groupby(rows)], list(itertools.islice(rows, 1)), list(enumerate(rows, start=1)), [list(one) for _, one in itertools.groupby(rows, key=lambda n: n > 1)])
print(random.choice(rows) in rows, len(list(map(str, rows))), len(list(one for one in rows)), list(seen.keys())[0], {0.5: "half"}[1 / 2])
for at, (left, right, both) in enumerate(zip(rows, rows, line)):
    print(at, left, right, both)
for at, *rest in enumerate(rows):
    print(at, rest)
await asyncio.sleep(0)
print(await asyncio.sleep(0, 3), await asyncio.sleep(delay=0, result=4), isinstance(line, (str, int)), type(line)("b"))


async def size(text):
    return len(text)


sizes = await asyncio.gather(*[size(text) for text in ("a", "bb")])
print(max(sizes), max([await size(text) for text in ("a", "bb")]), sorted("ba", key=len), [call.close() for call in [size("a"), size("b")]])
