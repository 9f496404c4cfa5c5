from servers.weather import alerts
from servers.smart_home import energy_report, get_state
from servers.files import search_files, read_text
from servers.forge import get_user

warnings = await alerts(region="west", severity="severe")
for warning in warnings["alerts"]:
    print(warning["title"], warning["area"], warning["expires"])
report = await energy_report("2026-01-01", "2026-01-31", group_by="room")
kitchen = report["by"]["kitchen"] + report["by"].get("hall", 0)
state = await get_state("lamp-1")
hits = await search_files("budget", folder="/", max_results=5)
text = await read_text("/a.txt")
user = await get_user("ada")
[kitchen, state["brightness"], state.upper() if isinstance(state, str) else None, hits[0]["path"], text.splitlines()[0], user["followers"]]
