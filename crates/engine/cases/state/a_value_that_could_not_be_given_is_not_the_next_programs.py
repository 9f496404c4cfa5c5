# expect: raised ZeroDivisionError
import sys; sys.settrace(lambda *a: 1 / 0); 3
# --- next
# expect: value 8
import sys
sys.settrace(None)
8
