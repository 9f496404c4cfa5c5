# expect: certain-crash 4
import re

number = re.compile("([0-9]+")
print(number.findall("a1b22"))
