# expect: wrong-type 4
from servers.warehouse import insert_rows

done = await insert_rows(table="orders", rows={"id": 1, "total": 9.5})
print(done["inserted"])
