# expect: unknown-argument 5
from servers.weather import alerts

options = {"region": "west"}
active = await alerts(level="severe", **options)
print(active["alerts"])
