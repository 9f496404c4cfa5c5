# expect: contained
# limits: {"cpu_ms": 1000, "wall_ms": 3000}
import json

import _host

for message in (
    {"op": "waiting", "calls": [{"id": 1, "name": "echo", "arguments": {}}], "wake_at": -1},
    {"op": "idle", "calls": "all"},
    {"op": "waiting", "calls": [{"id": 2**64, "name": "", "arguments": "{"}]},
):
    try:
        _host.call(json.dumps(message).encode())
    except Exception:
        pass
