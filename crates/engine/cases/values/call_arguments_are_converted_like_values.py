# expect: value {"when": "2024-05-01", "price": "1.10", "count": 3}
from datetime import date
from decimal import Decimal

import numpy as np
from tidegate import call

await call("echo", when=date(2024, 5, 1), price=Decimal("1.10"), count=np.int64(3))
