# expect: limit calls
# limits: {"calls": 5}
from tidegate import call

for n in range(6):
    await call("echo", n=n)
