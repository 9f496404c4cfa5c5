# expect: unknown-field 6
from servers.warehouse import list_tables

tables = (await list_tables())["tables"]
for table in tables[:3]:
    print(table["name"], table["row_count"])
