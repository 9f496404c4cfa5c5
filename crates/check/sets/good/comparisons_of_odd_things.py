import math
from datetime import date, datetime, timedelta

print([1, 2] < [1, 3], (1, "a") < (2,), {1} < {1, 2}, "a" < "b", date(2026, 1, 1) < date(2026, 1, 2), True < 2, math.inf > 10, timedelta(1) > timedelta(0))
print(datetime.now() - datetime(2020, 1, 1) > timedelta(days=1), 3 == "3", None != 0, [] == ())
