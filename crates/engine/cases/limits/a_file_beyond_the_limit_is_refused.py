# expect: value ["EFBIG", true]
# limits: {"file_bytes": 50000}
import errno
import os

try:
    with open("big", "wb") as file:
        file.write(b"x" * 60_000)
except OSError as problem:
    reason = errno.errorcode[problem.errno]
[reason, os.path.getsize("big") <= 50_000]
