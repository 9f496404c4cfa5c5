# expect: unknown-field 6
from servers.files import list_folder

listing = await list_folder(path="/reports", pattern="*.csv")
for entry in listing["entries"]:
    print(entry.name, entry["size"])
