# expect: limit output
# limits: {"output_bytes": 100000, "cpu_ms": 5000}
import os

while True:
    os.write(1, b"C" * 5000)
    os.write(2, b"D" * 5000)
