# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import signal

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError, RuntimeError):
        pass
while True:
    pass
