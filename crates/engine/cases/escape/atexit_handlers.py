# expect: value "registered"
# stdout: ""
import atexit

atexit.register(print, "from an exit handler")
"registered"
# --- next
# expect: value 1
# stdout: ""
1
