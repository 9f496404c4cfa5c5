# expect: value 900
# limits: {"call_result_bytes": 1000}
from tidegate import call

len(await call("blob", size=900))
