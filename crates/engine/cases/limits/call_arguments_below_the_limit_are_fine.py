# expect: value 900
# limits: {"call_arguments_bytes": 1000}
from tidegate import call

len((await call("echo", text="x" * 900))["text"])
