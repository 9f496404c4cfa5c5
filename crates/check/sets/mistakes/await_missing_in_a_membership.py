# expect: missing-await 7
from servers.warehouse import list_tables

async def names():
    return [table["name"] for table in (await list_tables())["tables"]]

print("orders" in names())
