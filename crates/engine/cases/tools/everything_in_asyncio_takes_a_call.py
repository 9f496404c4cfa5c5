# expect: value ["task", "group", "wait_for", ["w1", "w2"], ["c1", "c2"], "shield", "future", "run"]
# servers: demo
# freeze: true
import asyncio

from servers.demo import slow

found = [(await asyncio.create_task(slow("task")))["text"]]
async with asyncio.TaskGroup() as group:
    task = group.create_task(slow("group"))
found.append(task.result()["text"])
found.append((await asyncio.wait_for(slow("wait_for"), 10))["text"])
done, pending = await asyncio.wait([slow("w1"), slow("w2")])
found.append(sorted([one.result()["text"] for one in done]))
completed = []
for one in asyncio.as_completed([slow("c1"), slow("c2")]):
    completed.append((await one)["text"])
found.append(sorted(completed))
found.append((await asyncio.shield(slow("shield")))["text"])
found.append((await asyncio.ensure_future(slow("future")))["text"])
found.append(asyncio.run(slow("run"))["text"])
found
