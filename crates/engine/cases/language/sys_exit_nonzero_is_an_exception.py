# expect: raised SystemExit: 3
import sys

sys.exit(3)
