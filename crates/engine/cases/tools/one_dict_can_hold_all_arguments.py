# expect: value [{"owner": "a", "repo": "b", "title": "c", "class": "bug"}, {"owner": "a", "repo": "b", "title": "c"}]
# servers: demo
from servers.demo import create_issue

first = await create_issue({"owner": "a", "repo": "b", "title": "c", "class": "bug"})
second = await create_issue({"owner": "a", "repo": "b"}, title="c")
[first["arguments"], second["arguments"]]
