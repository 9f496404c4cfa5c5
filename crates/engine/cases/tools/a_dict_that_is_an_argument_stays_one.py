# expect: value [{"filter": {"field": "x"}}, {"filter": {"limit": 3}}, {"filter": {"field": "y"}, "limit": 2}]
# servers: demo
from servers.demo import search

[await search({"field": "x"}), await search({"limit": 3}), await search({"filter": {"field": "y"}, "limit": 2})]
