# expect: unknown-server 2
import servers.warehous as db

print(await db.list_tables())
