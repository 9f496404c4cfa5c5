# expect: value ["OverflowError", "OverflowError", "MemoryError"]
def name(action):
    try:
        action()
    except (MemoryError, OverflowError) as problem:
        return type(problem).__name__


[name(lambda: [0] * (1 << 62)), name(lambda: bytearray(1 << 33)), name(lambda: bytearray((1 << 31) - 64))]
