# expect: certain-crash 6
from datetime import datetime
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number=1)
made = datetime.fromiso(issue["created_at"])
print(made.year)
