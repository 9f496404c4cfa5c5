# expect: raised KeyError: size
# servers: demo
# line: 4
# hint: It has: 'text'
from servers.demo import echo

answer = echo("x")
answer["size"]
