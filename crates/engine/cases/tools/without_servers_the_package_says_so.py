# expect: raised ModuleNotFoundError: servers.github
# hint: No servers are connected.
from servers.github import create_issue
