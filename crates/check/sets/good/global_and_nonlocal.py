counter = 0


def bump():
    global counter
    counter += 1
    return counter


def make():
    held = 0

    def step():
        nonlocal held
        held += 2
        return held

    return step


bump()
step = make()
step()
[bump(), step(), counter]
