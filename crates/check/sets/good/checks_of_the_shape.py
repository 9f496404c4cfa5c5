from servers.files import search_files
from servers.weather import current, history

hits = await search_files(query="budget")
if isinstance(hits, dict):
    hits = hits.get("results", [])
elif isinstance(hits, str):
    hits = hits.splitlines()
names = [hit["name"] if isinstance(hit, dict) else hit for hit in hits]
now = await current(city="Oslo")
if isinstance(now, str):
    print(now.upper())
try:
    extra = now["dew_point"]
except (KeyError, TypeError):
    extra = None
data = await history(location=dict(latitude=1, longitude=2), start="2026-01-01", end="2026-01-02")
[names, extra, data["hourly"][0]["t"] if data else None]
