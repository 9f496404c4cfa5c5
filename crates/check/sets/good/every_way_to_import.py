import servers
import servers.forge
import servers.forge as code
import servers.weather.current
import weather
import forge as hub
from servers import crm, call_mcp_tool, ToolError
from servers.files import read_text as read, write_text
from servers.warehouse.run_query import run_query
from servers.forge import listCommits, list_commits, mergeRequest, merge_request

a = await servers.forge.get_repository("acme", "rocket")
b = await code.get_user(login="ada")
c = await weather.current("Oslo")
d = await hub.search_code("main", language="python", limit=3)
e = await crm.list_deals()
f = await read("/a.txt")
g = await run_query("select 1")
h = await listCommits("acme", "rocket", perPage=5)
i = await list_commits(owner="acme", repo="rocket", since="2026-01-01T00:00:00Z")
j = await servers.smart_home.run_scene("evening", transition_seconds=2)
k = await mergeRequest("acme", "rocket", 3, method="squash")
[a["stars"], b["login"], c["temperature"], d["matches"], e["deals"], f, g["rows"], h["result"][0]["sha"], i, j, k]
