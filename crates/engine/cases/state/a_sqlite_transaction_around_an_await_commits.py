# expect: value [[1, "a"], [2, "b"]]
# freeze: true
import sqlite3

from tidegate import call

base = sqlite3.connect("tides.db")
base.execute("create table tide(n integer, name text)")
with base:
    base.execute("insert into tide values (1, 'a')")
    await call("later")
    base.execute("insert into tide values (2, 'b')")
base.close()
sqlite3.connect("tides.db").execute("select n, name from tide order by n").fetchall()
