# expect: unknown-field 6
from servers.files import list_folder

groups = {}
for entry in (await list_folder(path="/"))["entries"]:
    groups.setdefault(entry["type"], []).append(entry["name"])
print(groups)
