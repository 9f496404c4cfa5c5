# expect: raised ImportError: os
# level: hardened
# hint: import
import os
