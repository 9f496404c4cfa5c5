# expect: value 33554432
# limits: {"memory_mib": 64}
data = bytearray(32 << 20)
len(data)
