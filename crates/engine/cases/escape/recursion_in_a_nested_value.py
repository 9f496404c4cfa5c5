# expect: contained
nested = []
for _ in range(20_000):
    nested = [nested]
nested
