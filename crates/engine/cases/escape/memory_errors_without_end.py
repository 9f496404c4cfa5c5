# expect: value 50
# limits: {"memory_mib": 48}
count = 0
for _ in range(50):
    try:
        block = bytearray(1 << 30)
    except MemoryError:
        count += 1
count
