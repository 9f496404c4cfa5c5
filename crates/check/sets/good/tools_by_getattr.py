import servers
import servers.forge as forge
from servers import crm

for name in ("list_issues", "list_commits"):
    tool = getattr(forge, name)
    print(await tool(owner="acme", repo="rocket"))
print(await getattr(servers.crm, "list_deals")(stage="won"))
print(getattr(crm, "list_leads", None), getattr(servers, "nothing", "no server"))
