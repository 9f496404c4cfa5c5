from servers.weather import current

async def load(city):
    try:
        return await current(city=city)
    except Exception:
        return {"temp": None}

answer = await load("Oslo")
print(answer.get("temp"), answer.get("temperature"))
if "temp" in answer:
    print(answer["temp"])
