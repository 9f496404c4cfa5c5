# expect: unknown-field 7
from servers.warehouse import list_tables, describe_table

for table in (await list_tables())["tables"]:
    about = await describe_table(table=table["name"])
    for column in about["columns"]:
        print(table["name"], column["name"], column["data_type"])
