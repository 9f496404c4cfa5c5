# expect: contained
import sys

sys.modules.clear()
