from decimal import Decimal, ROUND_HALF_UP
from fractions import Fraction

price = Decimal("19.995").quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
third = Fraction(1, 3) + Fraction(1, 6)
[str(price), str(third), float(third)]
