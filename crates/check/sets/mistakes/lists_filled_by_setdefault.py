# expect: unknown-field 7
from servers.files import list_folder

kinds = {}
for entry in (await list_folder(path="/"))["entries"]:
    kinds.setdefault(entry["kind"], []).append(entry)
print([entry["sise"] for entries in kinds.values() for entry in entries])
