from servers.weather import current

answer = await current(city="Oslo")
print(answer.get("temperature") or answer["temp"])
