# expect: syntax 4
from servers.smart_home import energy_report

report = await energy_report(from="2026-01-01", to="2026-01-31")
print(report["total_kwh"])
