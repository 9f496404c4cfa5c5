# expect: raised MemoryError
# limits: {"memory_mib": 64}
f"{1:>1000000000}"
