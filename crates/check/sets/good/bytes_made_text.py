import base64
from servers.files import write_text

raw = "hellø".encode()
await write_text(path="/a", content=base64.b64encode(raw).decode())
await write_text(path="/b", content=raw.decode("utf-8"), overwrite=False)
