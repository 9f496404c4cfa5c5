from servers.weather import current


def temperature(city):
    return current(city=city)["temperature"]


def later(city):
    return current(city=city)


async def warm(city):
    now = current(city)
    return now["temperature"] > 20


oslo = await later("Oslo")
[temperature("Lima"), oslo["humidity"], await warm("Pune")]
