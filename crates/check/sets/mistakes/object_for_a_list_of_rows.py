# expect: wrong-type 5
from servers.warehouse import insert_rows

rows = {"id": 1, "name": "a"}
await insert_rows(table="t", rows=rows)
