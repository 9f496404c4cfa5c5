# expect: contained
nested = []
for _ in range(200_000):
    nested = [nested]
del nested
