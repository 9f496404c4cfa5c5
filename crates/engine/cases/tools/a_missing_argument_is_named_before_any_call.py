# expect: raised ArgumentError: create_issue() needs 'title', which is missing. Parameters: owner*, repo*, title*, body, class_, from_, assignee (* required)
# servers: demo
# line: 4
from servers.demo import create_issue

try_this = {"owner": "a"}
await create_issue(repo="b", **try_this)
