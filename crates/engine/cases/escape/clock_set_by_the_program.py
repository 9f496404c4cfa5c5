# expect: value true
import time

before = time.monotonic()
for name in ("clock_settime", "clock_settime_ns"):
    try:
        getattr(time, name)(time.CLOCK_REALTIME, 0)
    except (AttributeError, OSError):
        pass
time.time = time.monotonic = time.perf_counter = lambda: -1e9
before >= 0
