# expect: certain-crash 4
import datetime as dt

print(dt.timedelta(month=1))
