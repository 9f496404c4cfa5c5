from decimal import Decimal
from fractions import Fraction

class Money:
    def __init__(self, cents):
        self.cents = cents

    def __round__(self, digits=0):
        return self.cents // 100

print(round(2.5), round(2.675, 2), round(Decimal("1.5")), round(Fraction(7, 2)), round(Money(250)), round(True), round(10, -1))
