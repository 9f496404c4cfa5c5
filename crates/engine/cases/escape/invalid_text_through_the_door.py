# expect: contained
import _host

for message in (b'{"op":"call","name":"\xff\xfe"}', b'{"op":"\xed\xa0\x80"}', b'{"op":"call\\ud800"}', b"\xc0\xaf" * 100):
    try:
        _host.call(message)
    except Exception:
        pass
