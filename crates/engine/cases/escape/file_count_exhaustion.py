# expect: value ["EDQUOT", true]
import errno
import os

try:
    for n in range(300_000):
        open(f"i{n}", "w").close()
except OSError as problem:
    reason = errno.errorcode[problem.errno]
[reason, len(os.listdir()) <= 1000]
