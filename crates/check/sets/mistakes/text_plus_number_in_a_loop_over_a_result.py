# expect: certain-crash 5
from servers.warehouse import list_tables

for table in (await list_tables())["tables"]:
    print("rows: " + table["rows"])
