# expect: unknown-field 5
from servers.files import list_folder

answer = await list_folder(path="/reports", recursive=True)
large = list(filter(lambda entry: entry["bytes"] > 1_000_000, answer["entries"]))
print(len(large))
