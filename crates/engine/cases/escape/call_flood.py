# expect: limit calls
# limits: {"calls": 50}
from tidegate import call

while True:
    await call("echo")
