# expect: undefined-name 6
from servers.weather import current

async def main():
    now = await current(city="Oslo")
    print(nwo["temperature"])

await main()
