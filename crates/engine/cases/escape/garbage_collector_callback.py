# expect: value "collected"
import gc


def broken(phase, info):
    raise RuntimeError("from a callback")


gc.callbacks.append(broken)
gc.collect()
"collected"
