# expect: limit output
# limits: {"output_bytes": 100000, "cpu_ms": 5000}
import sys

while True:
    sys.stderr.write("B" * 1000)
