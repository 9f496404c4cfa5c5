# expect: syntax 6
from servers.weather import current


def temperature(city):
    now = await current(city=city)
    return now["temperature"]


print(temperature("Oslo"))
