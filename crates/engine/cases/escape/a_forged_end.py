# expect: contained
import json

import _host

for message in (
    {"op": "done", "value": "forged", "error": None},
    {"op": "done"},
    {"op": "done", "success": True, "return_value": "forged", "usage": {"cpu_ms": -1}},
):
    try:
        _host.call(json.dumps(message).encode())
    except Exception:
        pass
