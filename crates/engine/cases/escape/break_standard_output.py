# expect: value "still here"
import sys

sys.stdout = sys.stderr = None
"still here"
# --- next
# expect: value "and here"
"and here"
