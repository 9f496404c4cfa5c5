# expect: value {"price": "1.10", "long": "1234567890.12345678901234567890"}
from decimal import Decimal

{"price": Decimal("1.10"), "long": Decimal("1234567890.12345678901234567890")}
