# expect: value ["create_issue", "Opens an issue.", ["owner", "repo", "title", "body", "class_", "from_", "assignee"], "str", true]
# servers: demo
import inspect
import typing

from servers.demo import create_issue

signature = inspect.signature(create_issue)
hints = typing.get_type_hints(create_issue)
[create_issue.__name__, create_issue.__doc__.split("\n")[0], list(signature.parameters), hints["owner"].__name__, inspect.iscoroutinefunction(create_issue)]
