class Stop(Exception):
    pass

def fail(kind):
    if kind == 1:
        raise Stop
    if kind == 2:
        raise Stop("twice") from None
    if kind == 3:
        raise (ValueError if kind else TypeError)("x")
    error = KeyError("kept")
    raise error

for kind in range(1, 5):
    try:
        fail(kind)
    except (Stop, ValueError, KeyError) as error:
        print(type(error).__name__)
