# expect: value {"a": {"text": "x"}, "b": [{"text": "y"}, {"text": "z"}], "c": 1}
# servers: demo
# freeze: true
# stderr: ""
from servers.demo import slow

{"a": slow("x"), "b": [slow("y"), slow("z")], "c": 1}
