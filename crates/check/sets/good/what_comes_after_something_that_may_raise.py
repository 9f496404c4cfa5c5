import asyncio
import json
import sys

try:
    json.loads("{")
    print("a" + 5)
except ValueError:
    print("no JSON")


def parse():
    json.loads("{")
    return 1 + "a"


try:
    parse()
except ValueError:
    print("no JSON either")


def last():
    try:
        return 1 + "a"
    finally:
        return 5


print(last())


async def bad():
    return 1 + "a"


task = asyncio.create_task(bad())
await asyncio.wait([task])
print(type(task.exception()).__name__)
