# expect: value [["demo", "time"], ["demo", "time"], ["get_current_time"], true, "Demo"]
# servers: demo time
import json
import os

import servers.time

text = open("/servers/demo/create_issue.py").read()
about = json.load(open("/servers/demo/.server.json"))
[sorted(os.listdir("/servers")), dir(servers), dir(servers.time), "async def create_issue" in text, about["title"]]
