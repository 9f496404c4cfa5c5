# expect: certain-crash 6
from datetime import datetime
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number=1)
age = datetime.now() - issue["created_at"]
print(age.days)
