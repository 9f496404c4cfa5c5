# expect: raised RuntimeError
# limits: {"memory_mib": 128}
raise RuntimeError("F" * (20 << 20))
