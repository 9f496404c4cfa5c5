# expect: limit output
# limits: {"output_bytes": 20000, "cpu_ms": 5000}
import warnings

warnings.simplefilter("always")
while True:
    warnings.warn("E" * 500)
