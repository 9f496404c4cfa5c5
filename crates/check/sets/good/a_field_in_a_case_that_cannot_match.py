from servers.weather import current

answer = await current(city="Oslo")
match answer:
    case {"temp": warm}:
        print(warm)
    case {"temperature": warm}:
        print(warm)
