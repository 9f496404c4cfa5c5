# expect: certain-crash 5
from datetime import datetime

now = datetime(2026, 1, 2)
print(now.strformat("%d"))
