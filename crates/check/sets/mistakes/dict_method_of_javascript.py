# expect: certain-crash 5
from servers.smart_home import energy_report

report = await energy_report("2026-01-01", "2026-01-31")
for room in report["by"].entries():
    print(room)
