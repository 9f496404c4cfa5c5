# expect: contained
import _host

for message in (b"", b"\x00", b"garbage", b"{", b"[]", b"null", b"{}", b'{"op":1}', b'{"op":"none"}', b"\xff\xfe\x00", b'"' * 1000):
    try:
        _host.call(message)
    except Exception:
        pass
