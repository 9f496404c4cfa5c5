# expect: limit wall
# limits: {"wall_ms": 300}
import time

while True:
    time.sleep(0.01)
