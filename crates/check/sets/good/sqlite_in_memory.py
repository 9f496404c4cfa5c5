import sqlite3

db = sqlite3.connect(":memory:")
db.row_factory = sqlite3.Row
db.execute("create table t (id integer primary key, name text)")
db.executemany("insert into t (name) values (?)", [("a",), ("b",)])
rows = db.execute("select * from t order by id desc").fetchall()
[dict(row) for row in rows]
