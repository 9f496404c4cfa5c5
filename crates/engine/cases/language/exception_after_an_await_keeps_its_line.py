# expect: raised KeyError: 'missing'
# line: 4
# freeze: true
from tidegate import call

reply = await call("later", present=1)
reply["missing"]
