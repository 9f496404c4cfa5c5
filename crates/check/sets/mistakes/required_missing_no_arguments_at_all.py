# expect: missing-argument 4
from servers.files import list_folder

entries = await list_folder()
print(len(entries["entries"]))
