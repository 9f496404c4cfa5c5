# expect: raised PermissionError
import os

open("one.txt", "w").close()
os.link("one.txt", "two.txt")
