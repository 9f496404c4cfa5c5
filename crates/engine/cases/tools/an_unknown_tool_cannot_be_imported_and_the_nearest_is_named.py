# expect: raised ImportError: Did you mean 'create_issue'? It has 8 tools
# servers: demo
from servers.demo import create_isue
