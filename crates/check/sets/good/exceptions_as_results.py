import asyncio

from servers.weather import current, forecast

found = await asyncio.gather(current(city="Bonn"), current(city=5), return_exceptions=True)
print([type(one).__name__ for one in found])


async def safe(call):
    try:
        return await call
    except Exception as error:
        return "caught " + type(error).__name__


print(await safe(forecast(city="Bonn", days="many")))


class Client:
    async def ask(self):
        return await forecast(town="Bonn")


try:
    await Client().ask()
except Exception as error:
    print(type(error).__name__)
