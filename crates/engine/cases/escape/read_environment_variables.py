# expect: value []
import os

expected = {"HOME", "TMPDIR", "PATH", "LANG", "LC_ALL", "TZ", "USER", "PWD"}
sorted(name for name in os.environ if name not in expected and not name.startswith(("PYTHON", "MPL")))
# --- next
# expect: value true
all(value in ("", "UTC", "C.UTF-8", "/workspace", "/", "/tmp") or value.startswith(("/usr/local", "/workspace", "/tmp", "Agg", "agg", "0", "1")) for value in os.environ.values())
