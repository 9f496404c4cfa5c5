# expect: value [["b.txt"], "content", []]
# freeze: true
import os
import shutil

os.makedirs("one/two")
open("one/two/a.txt", "w").write("content")
os.rename("one/two/a.txt", "one/two/b.txt")
os.rename("one/two", "moved")
listed, text = os.listdir("moved"), open("moved/b.txt").read()
shutil.rmtree("moved")
os.rmdir("one")
[listed, text, os.listdir("/workspace")]
