# expect: missing-await 6 advice
from servers.weather import current


def temperature(city):
    return current(city=city)["temperature"]


print([temperature(city) for city in ("Oslo", "Lima")])
