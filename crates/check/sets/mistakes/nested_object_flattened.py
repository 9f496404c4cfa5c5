# expect: unknown-argument 4
from servers.weather import history

days = await history(latitude=59.9, longitude=10.7, start="2026-01-01", end="2026-01-31")
print(days)
