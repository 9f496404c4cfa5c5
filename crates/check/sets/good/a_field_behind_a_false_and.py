from servers.weather import current

answer = await current(city="Oslo")
print(False and answer["temp"], True or answer["temp"])
