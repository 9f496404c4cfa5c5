# expect: value [[{"name": "get_devices", "server": "demo"}], "get_devices", "1 of 8 tools; 3 match, a larger limit shows more: [{'name': 'get_devices', 'server': 'demo'}]", true]
# servers: demo
from tool_discovery import search_tools as imported

found = search_tools("lamps", detail_level="name_only", server="demo", limit=1)
[found, found[0]["name"], str(found), imported is search_tools]
