# expect: raised MemoryError
# limits: {"memory_mib": 48}
values = [0]
while True:
    values += values
