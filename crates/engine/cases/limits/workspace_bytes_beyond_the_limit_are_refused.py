# expect: value ["ENOSPC", true]
# limits: {"workspace_bytes": 100000, "file_bytes": 60000}
import errno
import os

for name in ("a", "b"):
    try:
        with open(name, "wb") as file:
            file.write(b"x" * 55_000)
    except OSError as problem:
        reason = errno.errorcode[problem.errno]
total = sum(os.path.getsize(name) for name in os.listdir())
[reason, total <= 100_000]
