# expect: certain-crash 4
from servers.warehouse import run_query

columns, rows = await run_query(sql="select 1")
for row in rows:
    print(row)
