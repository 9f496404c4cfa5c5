# expect: certain-crash 4
import datetime

now = datetime.now()
print(now.isoformat())
