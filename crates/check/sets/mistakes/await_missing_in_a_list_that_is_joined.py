# expect: missing-await 7
from servers.files import read_text

async def first(path):
    return str(await read_text(path=path))[:10]

print(", ".join([first("a"), first("b")]))
