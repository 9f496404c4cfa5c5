# expect: contained
import _host

for message in (b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000):
    try:
        _host.call(message)
    except Exception:
        pass
