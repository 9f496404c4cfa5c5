from servers.forge import list_issues
from servers.crm import list_deals

handlers = {"load": list_issues}
handlers["load"] = list_deals
print(await handlers["load"](stage="won"))
