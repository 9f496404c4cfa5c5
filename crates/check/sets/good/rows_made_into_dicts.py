from servers.warehouse import run_query

result = await run_query(sql="select region, total from sales")
rows = [dict(zip(result["columns"], row)) for row in result["rows"]]
print(sum(row["total"] for row in rows), {row["region"] for row in rows})
