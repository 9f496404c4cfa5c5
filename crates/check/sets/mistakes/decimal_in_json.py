# expect: certain-crash 6
import json
from decimal import Decimal

price = Decimal("1.50")
print(json.dumps({"price": price}))
