# expect: value ["refused", "refused", "refused"]
import sqlite3

base = sqlite3.connect(":memory:")
refused = []
for attempt in (
    lambda: base.enable_load_extension(True),
    lambda: base.execute("select load_extension('/workspace/native.so')").fetchall(),
    lambda: base.execute("select readfile('/etc/passwd')").fetchall(),
):
    try:
        attempt()
    except (sqlite3.Error, AttributeError):
        refused.append("refused")
refused
