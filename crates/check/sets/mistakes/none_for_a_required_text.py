# expect: wrong-type 4
from servers.files import write_text

await write_text(path="/out.txt", content=None)
