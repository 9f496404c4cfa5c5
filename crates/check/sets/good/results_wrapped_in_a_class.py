from servers.weather import current

class Reading(dict):
    def __missing__(self, key):
        return None

now = Reading(await current(city="Oslo"))
print(now["temp"], now["temperature"])
