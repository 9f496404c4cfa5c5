# expect: raised MemoryError
# limits: {"memory_mib": 32, "cpu_ms": 10000}
chain = None
while True:
    chain = [chain] * 64
    chain = (chain, {"k": chain})[0:1]
