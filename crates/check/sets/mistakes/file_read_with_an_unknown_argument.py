# expect: certain-crash 4
from tool_discovery import read_file

print(read_file(file="servers/forge/get_issue.py"))
