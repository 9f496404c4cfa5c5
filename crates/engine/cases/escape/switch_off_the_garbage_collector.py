# expect: raised MemoryError
# limits: {"memory_mib": 40, "cpu_ms": 10000}
import gc

gc.disable()
gc.freeze()
while True:
    loop = [bytearray(50_000)]
    loop.append(loop)
