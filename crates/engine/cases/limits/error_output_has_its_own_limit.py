# expect: limit output
# limits: {"output_bytes": 1000}
import sys

print("y" * 600)
for _ in range(100):
    print("x" * 50, file=sys.stderr)
