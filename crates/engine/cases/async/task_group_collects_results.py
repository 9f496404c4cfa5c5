# expect: value [2, 4, 6]
# freeze: true
import asyncio

from tidegate import call

async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(call("add", a=n, b=n)) for n in (1, 2, 3)]
[task.result() for task in tasks]
