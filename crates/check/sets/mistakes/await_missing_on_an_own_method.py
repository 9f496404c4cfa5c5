# expect: missing-await 9
from servers.weather import current

class Station:
    async def read(self, city):
        return await current(city=city)

station = Station()
print(station.read("Oslo")["temperature"])
