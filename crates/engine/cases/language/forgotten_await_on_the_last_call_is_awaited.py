# expect: value 5
from tidegate import call

call("add", a=2, b=3)
