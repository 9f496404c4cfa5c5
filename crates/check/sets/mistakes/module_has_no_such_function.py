# expect: certain-crash 4
import math

print(math.squareroot(16))
