# expect: limit call_result
# limits: {"call_result_bytes": 1000000}
from tidegate import call

await call("blob", size=4_000_000)
