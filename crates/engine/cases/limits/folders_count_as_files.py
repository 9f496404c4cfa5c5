# expect: value ["EDQUOT", 10]
# limits: {"files": 10}
import errno
import os

try:
    for n in range(20):
        os.mkdir(f"d{n}")
except OSError as problem:
    reason = errno.errorcode[problem.errno]
[reason, len(os.listdir())]
