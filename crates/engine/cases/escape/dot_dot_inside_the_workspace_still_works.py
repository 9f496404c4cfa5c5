# expect: value "inside"
import os

os.makedirs("a/b")
open("a/file.txt", "w").write("inside")
open("/workspace/a/b/../file.txt").read()
