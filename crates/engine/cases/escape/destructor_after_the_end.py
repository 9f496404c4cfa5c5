# expect: value "ended"
class Late:
    def __del__(self):
        raise RuntimeError("from a destructor")


loop = Late()
loop.me = loop
del loop
"ended"
# --- next
# expect: value "collected"
# stdout: ""
import gc

gc.collect()
"collected"
