# expect: value []
import sqlite3

base = sqlite3.connect(":memory:")
attached = []
for path in ("/etc/passwd", "/escaped.db", "../escaped.db", "file:/etc/passwd?mode=ro", "/proc/self/environ"):
    try:
        base.execute("attach database ? as other", (path,))
        base.execute("create table other.t(a)")
        attached.append(path)
    except sqlite3.Error:
        try:
            base.execute("detach database other")
        except sqlite3.Error:
            pass
[path for path in attached if not path.startswith("file:")]
