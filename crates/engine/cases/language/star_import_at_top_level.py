# expect: value [3.0, 120]
from math import *

[sqrt(9), factorial(5)]
