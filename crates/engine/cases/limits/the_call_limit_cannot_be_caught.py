# expect: limit calls
# limits: {"calls": 3}
from tidegate import call

n = 0
while n < 1000:
    n += 1
    try:
        await call("echo", n=n)
    except BaseException:
        pass
"went around the limit"
