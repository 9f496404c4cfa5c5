# expect: certain-crash 4
import textwrap

print(textwrap.wrap("a b c", widht=10))
