# expect: contained
# limits: {"cpu_ms": 2000, "wall_ms": 5000}
import sys


def trace(frame, event, argument):
    raise RuntimeError("from the trace hook")


sys.settrace(trace)
sys.setprofile(trace)


def traced():
    return 1


traced()
