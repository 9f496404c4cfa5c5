# expect: wrong-type 6
import json
from servers.warehouse import insert_rows

rows = [{"id": 1}, {"id": 2}]
await insert_rows(table="orders", rows=json.dumps(rows))
