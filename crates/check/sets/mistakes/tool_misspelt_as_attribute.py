# expect: unknown-tool 4
import servers.warehouse as warehouse

tables = await warehouse.list_table(schema="public")
for table in tables["tables"]:
    print(table["name"], table["rows"])
