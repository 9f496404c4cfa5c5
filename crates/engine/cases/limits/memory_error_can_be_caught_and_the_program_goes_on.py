# expect: value ["caught", 1000000]
# limits: {"memory_mib": 64}
held = []
try:
    while True:
        held.append(bytearray(4 << 20))
except MemoryError:
    held.clear()
    log = ["caught"]
log.append(len(bytearray(1_000_000)))
log
