from servers.weather import current

names = {"servers": ["a", "b"]}
print(names["servers"][0], (await current(city="Oslo"))["city"])
for server in names["servers"]:
    print(server)
