# expect: unknown-field 6
from servers.files import list_folder

entries = (await list_folder(path="/"))["entries"]
largest = next((one for one in entries if one["kind"] == "file"), None)
print(largest["sizes"])
