# expect: wrong-type 4
from servers.weather import history

data = await history(location="Oslo", start="2026-01-01", end="2026-01-31")
print(data)
