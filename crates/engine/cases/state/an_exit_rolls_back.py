# expect: value 1
level = 1
# --- next
# expect: exited
import os

level = 2
open("trace.txt", "w").close()
os._exit(0)
# --- next
# expect: value [1, false]
import os

[level, os.path.exists("trace.txt")]
