# expect: value ["EMFILE", true, "fine"]
# limits: {"open_files": 10}
import errno

open("one", "w").write("fine")
held = []
try:
    for _ in range(50):
        held.append(open("one"))
except OSError as problem:
    reason = errno.errorcode[problem.errno]
many = 5 <= len(held) <= 10
for file in held:
    file.close()
[reason, many, open("one").read()]
