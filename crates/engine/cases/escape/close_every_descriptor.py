# expect: contained
import os

os.closerange(0, 1024)
open("after.txt", "w").write("still works")
