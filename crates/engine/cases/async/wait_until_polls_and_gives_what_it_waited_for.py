# expect: value [3, "late", "wait_until(): nothing after 0.05 seconds; check gave False last"]
from tidegate import wait_until as same

looks = 0


def ready():
    global looks
    looks += 1
    return looks if looks >= 3 else None


async def slow():
    return "late"


found = await wait_until(ready, every=0.01, timeout=5)
later = await same(slow, every=0.01)
try:
    await wait_until(lambda: False, every=0.01, timeout=0.05)
except TimeoutError as error:
    said = str(error)
[found, later, said]
