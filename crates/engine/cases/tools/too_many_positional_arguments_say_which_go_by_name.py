# expect: raised ArgumentError: create_issue() takes at most 3 positional arguments, 4 given; give body, class_, from_, assignee by name
# servers: demo
from servers.demo import create_issue

await create_issue("a", "b", "c", "d")
