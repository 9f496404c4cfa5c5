# expect: contained
from tidegate import call

loop = []
loop.append(loop)
await call("echo", loop=loop, function=call, text="\ud800")
