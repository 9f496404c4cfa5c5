# expect: raised MemoryError
# level: hardened
# limits: {"memory_mib": 1024}
data = bytearray(200 << 20)
