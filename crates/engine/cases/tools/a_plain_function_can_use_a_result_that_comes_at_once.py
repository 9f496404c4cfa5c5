# expect: value [2, ["lamp", "door"], true, "echo says hi", 3]
# servers: demo
from servers.demo import echo, get_devices


def summary():
    devices = get_devices()
    return [devices["count"], [one["name"] for one in devices["devices"]], "count" in devices]


def say():
    return f"echo says {echo('hi')['text']}"


def count():
    return len(echo("x", times=1)) + 1


[*summary(), say(), count()]
