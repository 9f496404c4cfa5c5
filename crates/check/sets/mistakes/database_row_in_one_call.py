# expect: certain-crash 5
import sqlite3

database = sqlite3.connect(":memory:")
print(database.cursor().execute("select 1").fetch_one())
