from servers.weather import current

def counter():
    count = 0

    def more():
        nonlocal count
        count += 1
        return count

    return more

async def outer(cities):
    found = {}

    async def one(city):
        found[city] = (await current(city=city))["temperature"]

    for city in cities:
        await one(city)
    return found

more = counter()
print(more(), more(), await outer(["Oslo", "Lima"]))
