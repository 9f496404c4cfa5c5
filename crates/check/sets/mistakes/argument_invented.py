# expect: unknown-argument 4
from servers.warehouse import run_query

result = await run_query(sql="select * from orders", limit=100)
print(result["row_count"])
