# expect: unknown-argument 6
from servers.files import list_folder


async def sizes(folder):
    listing = await list_folder(path=folder, recurse=True)
    return sum(entry["size"] for entry in listing["entries"])


total = await sizes("/reports")
print(total)
