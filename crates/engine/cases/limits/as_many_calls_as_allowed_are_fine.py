# expect: value 5
# limits: {"calls": 5}
from tidegate import call

for n in range(5):
    await call("echo", n=n)
n + 1
# --- next
# expect: value "counted per run"
# limits: {"calls": 5}
for n in range(5):
    await call("echo", n=n)
"counted per run"
