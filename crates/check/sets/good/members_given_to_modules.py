import json
import math

math.square = lambda value: value * value
setattr(json, "pretty", lambda value: json.dumps(value, indent=2))
print(math.square(3), json.pretty({"a": 1}))
