# expect: certain-crash 4
from datetime import datetime

print(datetime.strptime("2026-01-02"))
