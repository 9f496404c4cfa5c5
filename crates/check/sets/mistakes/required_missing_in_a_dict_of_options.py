# expect: missing-argument 5
from servers.smart_home import energy_report

options = {"group_by": "room", "to": "2026-01-31"}
report = await energy_report(**options)
print(report["total_kwh"])
