# expect: certain-crash 5
from servers.warehouse import run_query

result = await run_query(sql="select id from orders")
for position in result["row_count"]:
    print(position)
