# expect: contained
# limits: {"cpu_ms": 1000, "wall_ms": 3000}
import json

import _host

for message in ({"op": "resume", "results": [{"id": 1, "value": 1}]}, {"op": "next"}, {"op": "exec", "code": "1"}, {"op": "park"}):
    try:
        _host.call(json.dumps(message).encode())
    except Exception:
        pass
