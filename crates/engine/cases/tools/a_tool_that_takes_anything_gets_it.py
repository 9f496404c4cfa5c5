# expect: value [{}, {"a": 1, "b-c": [2]}, {"d": 3}]
# servers: demo
from servers.demo import anything

[await anything(), await anything(a=1, **{"b-c": [2]}), await anything({"d": 3})]
