# expect: certain-crash 5
from collections import OrderedDict

order = OrderedDict(a=1, b=2)
order.move_to_last("a")
