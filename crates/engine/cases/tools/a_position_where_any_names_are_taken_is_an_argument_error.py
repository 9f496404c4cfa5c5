# expect: raised ArgumentError: anything() takes at most 0 positional arguments, 1 given. Parameters: any, each by its name
# servers: demo
from servers.demo import anything

await anything([1])
