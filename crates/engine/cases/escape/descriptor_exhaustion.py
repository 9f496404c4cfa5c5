# expect: value ["EMFILE", "fine"]
import errno

held = []
try:
    for n in range(100_000):
        held.append(open("same.txt", "a"))
except OSError as problem:
    reason = errno.errorcode[problem.errno]
while held:
    held.pop().close()
open("same.txt", "w").write("fine")
[reason, open("same.txt").read()]
