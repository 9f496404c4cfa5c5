# expect: wrong-value 5
from servers.warehouse import export_table

kind = "excel"
await export_table(table="orders", format=kind)
