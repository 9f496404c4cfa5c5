# expect: raised ArgumentError: create_issue() has no parameter 'tittle' (did you mean 'title'?). Parameters: owner*
# servers: demo
from servers.demo import create_issue

await create_issue("a", "b", tittle="c")
