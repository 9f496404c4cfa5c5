# expect: unknown-field 5
from servers.warehouse import describe_table, list_tables

tables = (await list_tables())["tables"]
print([column["nulable"] for table in tables for column in (await describe_table(table=table["name"]))["columns"]])
