# expect: limit call_arguments
# limits: {"call_arguments_bytes": 1000}
from tidegate import call

await call("echo", text="x" * 2000)
