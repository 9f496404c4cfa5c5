# expect: unknown-field 6
from servers.files import list_folder

listing = await list_folder(path="/reports")
for position, entry in enumerate(listing["entries"], start=1):
    print(position, entry["filename"])
