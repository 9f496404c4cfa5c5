# expect: certain-crash 4
import datetime

start = datetime(2026, 1, 1)
print(start)
