# expect: wrong-type 5
from servers.files import write_text

payload = "héllo".encode()
await write_text(path="/out.txt", content=payload)
