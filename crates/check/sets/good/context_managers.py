from contextlib import contextmanager, suppress


@contextmanager
def noted(events, name):
    events.append(f"enter {name}")
    yield name.upper()
    events.append(f"leave {name}")


events = []
with noted(events, "a") as name, suppress(KeyError):
    events.append(name)
    {}["missing"]
events
