# expect: value true
import os
import time

open("first.txt", "w").close()
time.sleep(0.005)
open("second.txt", "w").close()
os.stat("second.txt").st_mtime >= os.stat("first.txt").st_mtime
# --- next
# expect: value true
abs(time.time() - os.stat("first.txt").st_mtime) < 3600
