# expect: wrong-value 4
from servers.weather import history

data = await history(location={"latitude": 590.1, "longitude": 10.7}, start="2026-01-01", end="2026-01-31")
print(data)
