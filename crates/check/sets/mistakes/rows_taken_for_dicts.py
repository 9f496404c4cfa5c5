# expect: certain-crash 5
from servers.warehouse import run_query

result = await run_query(sql="select region, total from sales")
print(sum(row["total"] for row in result["rows"]))
