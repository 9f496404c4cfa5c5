# expect: undefined-name 6
from servers.warehouse import list_tables

count = len((await list_tables())["tables"])
for size in [1, 2, 3]:
    coutn += size
print(count)
