import os
import inspect
import servers
from servers import forge

print(sorted(os.listdir("/servers")))
print(open("/servers/forge/create_issue.py").read()[:200])
print(dir(servers), dir(servers.forge))
print(inspect.signature(forge.create_issue), forge.create_issue.__doc__)
has_it = hasattr(forge, "delete_repository")
getattr(forge, "delete_repository", None)
help(forge.get_issue)
has_it
