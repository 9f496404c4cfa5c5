# expect: certain-crash 5
from functools import reduce
import operator

print(reduce(operator.add))
