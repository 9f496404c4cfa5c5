# expect: certain-crash 6
import sqlite3

database = sqlite3.connect(":memory:")
database.execute("create table t (a int)")
database.execute_many("insert into t values (?)", [(1,), (2,)])
