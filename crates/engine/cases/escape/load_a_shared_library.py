# expect: value true
try:
    import ctypes

    ctypes.CDLL(None).system(b"id")
    return False
except Exception:
    return True
