# expect: value "refused"
import _host

for wrong in (None, 1, "text", [b"x"], object()):
    try:
        _host.call(wrong)
    except (TypeError, ValueError):
        continue
    return "accepted"
"refused"
