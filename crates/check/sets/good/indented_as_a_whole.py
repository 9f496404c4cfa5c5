    from servers.weather import current

    now = await current(city="Oslo")
    if now["temperature"] < 0:
        print("freezing")
    now["conditions"]
