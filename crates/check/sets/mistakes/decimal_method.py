# expect: certain-crash 4
from decimal import Decimal

print(Decimal("1.234").quantise(Decimal("0.01")))
