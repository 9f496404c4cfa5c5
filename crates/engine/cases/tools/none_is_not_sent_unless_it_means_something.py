# expect: value [{"owner": "a", "repo": "b", "title": "c"}, {"owner": "a", "repo": "b", "title": "c", "assignee": null}]
# servers: demo
from servers.demo import create_issue

first = await create_issue("a", "b", "c", body=None, class_=None)
second = await create_issue("a", "b", "c", body=None, assignee=None)
[first["arguments"], second["arguments"]]
