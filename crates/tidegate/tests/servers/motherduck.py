# expect: {"sums": [45, 190, 435], "columns": ["n"], "tables": ["numbers"], "wrong": true}

import json

from servers.motherduck import execute_query, list_columns, list_tables


async def ask(call):
    # The server wraps text that is JSON; the wrapping is its own and stays.
    return json.loads((await call)["result"])


await execute_query("CREATE TABLE numbers AS SELECT range AS n FROM range(100)")
# One after another: this server shares one connection, and queries at the same time lose rows.
answers = [await ask(execute_query(f"SELECT sum(n)::INTEGER FROM numbers WHERE n < {limit}")) for limit in (10, 20, 30)]
columns = await ask(list_columns(table="numbers"))
tables = await ask(list_tables())
try:
    await execute_query(sql="SELECT nothing")
    wrong = False
except ToolError as error:
    wrong = "BinderException" in str(error)

{
    "sums": [answer["rows"][0][0] for answer in answers],
    "columns": [column["name"] for column in columns["columns"]],
    "tables": [table["name"] for table in tables["tables"]],
    "wrong": wrong,
}
