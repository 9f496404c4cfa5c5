# expect: certain-crash 4
import datetime as dt

print(dt.datetime(2026, 1, 2) + dt.timedelta(month=1))
