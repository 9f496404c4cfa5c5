# expect: value "still here"
import sys

sys.stdout.close()
sys.stderr.close()
"still here"
# --- next
# expect: value 1
1
