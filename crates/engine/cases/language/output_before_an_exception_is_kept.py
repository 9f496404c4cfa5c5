# expect: raised RuntimeError: stop
# stdout: "one\ntwo\n"
# stderr: "problem\n"
import sys

print("one")
print("problem", file=sys.stderr)
print("two")
raise RuntimeError("stop")
