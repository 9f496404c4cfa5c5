# expect: crashed
import os

os.abort()
