# expect: value [0, 1]
# freeze: true
def squares():
    n = 0
    while True:
        yield n * n
        n += 1


stream = squares()
[next(stream), next(stream)]
# --- next
# expect: value [4, 9]
[next(stream), next(stream)]
# --- next
# expect: value 16
next(stream)
