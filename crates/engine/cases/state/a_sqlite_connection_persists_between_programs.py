# expect: value 3
# freeze: true
import sqlite3

base = sqlite3.connect(":memory:")
base.execute("create table t(n)")
base.executemany("insert into t values (?)", [(1,), (2,), (3,)])
base.commit()
base.execute("select count(*) from t").fetchone()[0]
# --- next
# expect: value 6
base.execute("select sum(n) from t").fetchone()[0]
