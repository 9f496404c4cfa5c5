import asyncio
from dataclasses import dataclass

from servers.weather import current


@dataclass
class Task:
    name: str
    done: bool = False

    def __getitem__(self, key):
        return getattr(self, key)


@dataclass
class Future:
    items: list

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


def gather(*values):
    return list(values)


plan = Task("write")
later = Future([1, 2])
print(plan["name"], [one + 1 for one in later], len(later), gather(1, 2)[0])

both = asyncio.gather(current(city="Oslo"), current(city="Lima"))
print(both.done())
oslo, lima = await both
found = both.result()
print(found[0]["temperature"], oslo["city"], lima["city"])

# Once it is done, going over it gives nothing.
for one in both:
    print(one)

again = asyncio.gather(current(city="Oslo"), current(city="Lima"))
again = await again
print(again[0]["city"], len(again), [one["city"] for one in again])

tasks = [asyncio.create_task(current(city=city)) for city in ("Oslo", "Lima")]
for task in asyncio.as_completed(tasks):
    print((await task)["city"])
for task in tasks:
    print(task.result()["city"])
done, pending = await asyncio.wait(tasks)
print(len(done), len(pending))

kept = asyncio.create_task(current(city="Pune"))
kept.add_done_callback(lambda task: print(task.result()["city"]))
asyncio.create_task(current(city="Rome"))
named = {"a": asyncio.ensure_future(current(city="Nice"))}
values = dict(zip(named, await asyncio.gather(*named.values())))
print(values["a"]["city"])
try:
    print(kept["city"])
except TypeError:
    print((await kept)["city"])

fourth = asyncio.gather(current(city="Oslo"), current(city="Lima"))
await asyncio.sleep(1)
print([one for one in fourth], list(fourth), sum(1 for _ in fourth))
first = asyncio.gather(current(city="Oslo"))
for one in first:
    break
print("one is enough")
