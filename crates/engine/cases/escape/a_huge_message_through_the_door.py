# expect: contained
# limits: {"memory_mib": 128}
import _host

try:
    _host.call(b"[" * (32 << 20))
except Exception:
    pass
