# expect: certain-crash 4
import re

print(re.findall("a", "AaA", flag=re.I))
