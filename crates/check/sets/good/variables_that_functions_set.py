from servers.weather import current

latest = None
history = []


async def refresh(city):
    global latest
    latest = await current(city=city)
    history.append(latest)


await refresh("Oslo")
print(latest["temperature"], len(history))


def counter():
    seen = None

    def note(value):
        nonlocal seen
        seen = [value] if seen is None else seen + [value]
        return seen[0]

    note(1)
    return note(2) + len(seen)


counter()
