# expect: value {"text": "x"}
# servers: demo
# freeze: true
from servers.demo import slow

if True:
    return slow("x")
