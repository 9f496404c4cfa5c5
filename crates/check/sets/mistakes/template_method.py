# expect: certain-crash 4
from string import Template

print(Template("$a").substitue(a=1))
