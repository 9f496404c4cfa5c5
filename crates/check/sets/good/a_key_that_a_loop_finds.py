from servers.weather import current

answer = await current(city="Oslo")
for key in ("temp", "temperature"):
    if key in answer:
        print(answer[key])
        break
