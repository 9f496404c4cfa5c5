# expect: limit memory
# limits: {"memory_mib": 96}
# CPython does not survive every failed allocation of a list that grows.
sums = []
for i in range(8000):
    for j in range(8000):
        sums.append(i * i + j * j)
len(sums)
