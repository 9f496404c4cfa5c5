# expect: certain-crash 6
import sqlite3

database = sqlite3.connect(":memory:")
cursor = database.execute("select 1")
print(cursor.fetch_all())
