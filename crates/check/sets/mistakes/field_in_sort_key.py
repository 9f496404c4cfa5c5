# expect: unknown-field 5
from servers.warehouse import list_tables

tables = (await list_tables(schema="public"))["tables"]
largest = sorted([(table["size"], table["name"]) for table in tables], reverse=True)
print(largest[:3])
