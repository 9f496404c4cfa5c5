import base64
import hashlib

raw = "tide".encode("utf-8")
digest = hashlib.sha256(raw).hexdigest()
text = base64.b64encode(raw).decode()
assert base64.b64decode(text) == raw
[digest[:8], text, len(raw), raw[0], raw.hex()]
