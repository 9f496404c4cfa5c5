# expect: value true
try:
    import multiprocessing

    process = multiprocessing.Process(target=print)
    process.start()
    return False
except Exception:
    return True
