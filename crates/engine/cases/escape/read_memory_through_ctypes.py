# expect: value true
try:
    import ctypes

    ctypes.string_at(0x1000, 64)
    return False
except Exception:
    return True
