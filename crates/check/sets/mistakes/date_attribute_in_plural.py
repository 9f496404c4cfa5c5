# expect: certain-crash 5
from datetime import date

day = date(2026, 1, 2)
print(day.years)
