# expect: value [0, 1]
# freeze: true
import sqlite3

base = sqlite3.connect("rows.db")
base.execute("create table t(n)")
base.executemany("insert into t values (?)", [(n,) for n in range(5)])
base.commit()
rows = base.execute("select n from t order by n")
[rows.fetchone()[0], rows.fetchone()[0]]
# --- next
# expect: value [2, 3, 4]
[n for (n,) in rows]
