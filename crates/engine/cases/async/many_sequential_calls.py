# expect: value 19900
from tidegate import call

total = 0
for n in range(200):
    total = await call("add", a=total, b=n)
total
