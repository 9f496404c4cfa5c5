# expect: unknown-module 2
from json import parse

print(parse("{}"))
