# expect: certain-crash 5
import re

text = "a  b"
print(re.sub(r"\s+", " "))
