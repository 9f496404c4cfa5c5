# expect: certain-crash 6
from datetime import datetime
from servers.forge import get_issue

issue = await get_issue("acme", "rocket", 7)
age = datetime.now() - issue["created_at"]
print(age.days)
