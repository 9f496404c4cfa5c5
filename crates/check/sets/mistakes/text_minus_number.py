# expect: certain-crash 5
from servers.files import list_folder

listing = await list_folder(path="/")
ages = [entry["modified"] - 5 for entry in listing["entries"]]
print(ages)
