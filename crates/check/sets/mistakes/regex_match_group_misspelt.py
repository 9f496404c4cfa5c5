# expect: certain-crash 5
import re

found = re.search(r"(\d+)", "a1")
print(found.grup(1))
