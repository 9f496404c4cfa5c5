# expect: value {"page": 1}
# freeze: true
from tidegate import call

return call("later", page=1)
