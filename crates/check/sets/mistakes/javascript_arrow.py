# expect: syntax 5
from servers.files import list_folder

listing = await list_folder(path="/")
names = listing["entries"].map(entry => entry["name"])
print(names)
