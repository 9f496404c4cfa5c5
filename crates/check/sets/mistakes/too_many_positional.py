# expect: unknown-argument 4
from servers.warehouse import describe_table

table = await describe_table("orders", "public")
print([column["name"] for column in table["columns"]])
