# expect: certain-crash 7
import pandas as pd
from servers.warehouse import run_query

result = await run_query(sql="select * from sales")
frame = pd.DataFrame(result["rows"], columns=result["columns"])
frame = frame.append({"region": "north"}, ignore_index=True)
print(len(frame))
