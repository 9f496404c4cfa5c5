# expect: unknown-field 5
from servers.files import list_folder

answer = await list_folder(path="/reports")
names = list(map(lambda entry: entry["filename"], answer["entries"]))
print(names)
