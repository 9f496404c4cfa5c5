# expect: value true
# limits: {"workspace_bytes": 400000, "cpu_ms": 5000}
import os
import sqlite3

base = sqlite3.connect("big.db")
base.execute("create table t(b blob)")
base.commit()
try:
    for _ in range(100):
        base.execute("insert into t values (zeroblob(50000))")
        base.commit()
    refused = False
except sqlite3.Error:
    refused = True
refused and sum(os.path.getsize(name) for name in os.listdir()) <= 400_000
