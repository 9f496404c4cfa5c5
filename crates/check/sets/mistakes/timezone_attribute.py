# expect: certain-crash 4
from datetime import datetime, timezone

print(datetime.now(timezone.UTC))
