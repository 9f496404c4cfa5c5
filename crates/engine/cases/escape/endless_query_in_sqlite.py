# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import sqlite3

sqlite3.connect(":memory:").execute(
    "with recursive n(i) as (select 1 union all select i + 1 from n) select sum(i) from n"
).fetchall()
