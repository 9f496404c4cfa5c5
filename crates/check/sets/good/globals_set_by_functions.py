from servers.weather import current

last = None

async def load():
    global last
    last = await current(city="Oslo")

await load()
print(last["temperature"])
