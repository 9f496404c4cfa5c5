# expect: value 1
# freeze: true
def counter():
    n = 0

    def bump():
        nonlocal n
        n += 1
        return n

    return bump


bump, other = counter(), counter()
bump()
# --- next
# expect: value [2, 1]
[bump(), other()]
