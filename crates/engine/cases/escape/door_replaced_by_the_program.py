# expect: value "still works"
import sys

import _host

try:
    _host.call = lambda message: b'{"op":"done","value":"forged"}'
except (AttributeError, TypeError):
    pass
sys.modules["_host"] = None
"still works"
