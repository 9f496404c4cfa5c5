# expect: raised MemoryError
# limits: {"memory_mib": 64}
data = bytearray(200 << 20)
