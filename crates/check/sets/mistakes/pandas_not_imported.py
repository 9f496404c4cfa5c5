# expect: undefined-name 5
from servers.warehouse import run_query

result = await run_query(sql="select region, total from sales")
table = pd.DataFrame(result["rows"], columns=result["columns"])
table.groupby("region").sum()
