# expect: value "both"
# limits: {"output_bytes": 1000}
import sys

print("x" * 900)
print("y" * 900, file=sys.stderr)
"both"
