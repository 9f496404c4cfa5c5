# expect: {"tables": ["harbour"], "rows": [["Husum", 3.5], ["Kiel", 0.2]], "columns": ["name", "range"]}

import ast

from servers.sqlite import create_table, list_tables, write_query

await create_table("CREATE TABLE harbour (name TEXT, range REAL)")
await write_query(query="INSERT INTO harbour VALUES ('Kiel', 0.2), ('Husum', 3.5)")

# The server answers with Python's own notation, which is no JSON and stays text.
tables = ast.literal_eval(await list_tables())
rows = ast.literal_eval(await callMCPTool("readQuery", {"query": "SELECT * FROM harbour ORDER BY name"}))
columns = ast.literal_eval(await call_mcp_tool("describe_table", {"table_name": "harbour"}))

{
    "tables": [table["name"] for table in tables],
    "rows": [[row["name"], row["range"]] for row in rows],
    "columns": [column["name"] for column in columns],
}
