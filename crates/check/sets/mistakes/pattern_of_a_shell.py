# expect: certain-crash 5
import re

names = ["a.py", "b.txt"]
found = [name for name in names if re.match("*.py", name)]
print(found)
