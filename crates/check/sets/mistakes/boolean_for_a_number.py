# expect: wrong-type 4
from servers.warehouse import run_query

result = await run_query(sql="select 1", timeout_seconds=True)
result["rows"]
