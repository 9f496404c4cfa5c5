# expect: wrong-type 5
from servers.files import read_text

for at, path in enumerate(["a", "b"]):
    print(await read_text(path=at))
