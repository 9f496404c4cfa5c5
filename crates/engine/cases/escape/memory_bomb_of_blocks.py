# expect: raised MemoryError
# limits: {"memory_mib": 48}
blocks = []
while True:
    blocks.append(bytearray(1 << 20))
