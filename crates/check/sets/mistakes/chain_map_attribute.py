# expect: certain-crash 5
from collections import ChainMap

both = ChainMap({"a": 1}, {"b": 2})
print(both.map)
