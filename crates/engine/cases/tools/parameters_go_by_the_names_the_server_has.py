# expect: value [{"owner": "a", "repo": "b", "title": "c", "class": "bug", "from": "me"}, {"owner": "a", "repo": "b", "title": "c", "from": "you"}]
# servers: demo
from servers.demo import create_issue

first = await create_issue("a", "b", "c", class_="bug", from_="me")
second = await create_issue("a", "b", "c", **{"from": "you"})
[first["arguments"], second["arguments"]]
