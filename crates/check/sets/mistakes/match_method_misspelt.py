# expect: certain-crash 5
import re

found = re.match(r"(\w+)", "name")
print(found.grup(1))
