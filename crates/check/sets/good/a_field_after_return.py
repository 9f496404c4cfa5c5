from servers.weather import current

async def now(city):
    answer = await current(city=city)
    return answer["temperature"]
    print(answer["temp"])

print(await now("Oslo"))
