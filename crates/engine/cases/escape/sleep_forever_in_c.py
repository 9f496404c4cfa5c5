# expect: limit wall
# limits: {"wall_ms": 300}
import time

time.sleep(1_000_000)
