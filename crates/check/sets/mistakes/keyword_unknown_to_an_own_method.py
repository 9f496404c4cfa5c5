# expect: certain-crash 13
from servers.weather import current

class Reporter:
    def __init__(self, city):
        self.city = city

    async def show(self, digits=1):
        now = await current(city=self.city)
        print(round(now["temperature"], digits))

reporter = Reporter("Oslo")
await reporter.show(precision=2)
