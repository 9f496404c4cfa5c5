# expect: {"tables": "harbour", "husum": "1. row\nid: 2\nname: Husum\n\nResult: 1 rows", "error": true}

from servers.alchemy_sql.all_table_names import all_table_names
from servers.alchemy_sql.execute_query import execute_query

tables = await all_table_names()
found = await execute_query("SELECT * FROM harbour WHERE id = :id", params={"id": 2})
# This server tells of a mistake in a result that is no error.
wrong = await execute_query(query="SELECT * FROM nowhere")

{"tables": tables["result"], "husum": found["result"], "error": wrong["result"].startswith("Error:")}
