# expect: value false
# limits: {"memory_mib": 128}
block = bytearray(48 << 20)
any(memoryview(block)[:: 4096])
