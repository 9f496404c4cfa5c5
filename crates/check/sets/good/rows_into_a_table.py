import pandas as pd
from servers.warehouse import run_query, describe_table, insert_rows

result = await run_query(sql="select region, sum(total) as total from sales group by region")
frame = pd.DataFrame(result["rows"], columns=result["columns"])
top = frame.sort_values("total", ascending=False).head(3)
columns = {column["name"]: column["type"] for column in (await describe_table("sales"))["columns"]}
rows = top.to_dict("records")
done = await insert_rows(table="top_regions", rows=rows, on_conflict="replace")
print(f"{done['inserted']} rows; {len(columns)} columns; {result['truncated']}")
