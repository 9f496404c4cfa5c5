# expect: unknown-field 5
from servers.smart_home import energy_report

report = await energy_report("2026-01-01", "2026-01-31", group_by="room")
print(report["total"], report["by"])
