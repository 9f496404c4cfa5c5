# expect: unknown-argument 5
from servers.weather import history

places = {"lat": 59.9, "lon": 10.7}
days = await history(location=places, start="2026-01-01", end="2026-01-31")
print(days)
