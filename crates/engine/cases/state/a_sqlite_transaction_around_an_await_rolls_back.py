# expect: value [[1]]
# freeze: true
import sqlite3

from tidegate import ToolError, call

base = sqlite3.connect("tides.db")
base.execute("create table tide(n integer)")
base.execute("insert into tide values (1)")
base.commit()
try:
    with base:
        base.execute("insert into tide values (2)")
        await call("later")
        await call("fail", message="undo")
except ToolError:
    pass
base.execute("select n from tide").fetchall()
