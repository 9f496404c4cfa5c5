# expect: unknown-argument 6
from datetime import date, timedelta
from servers.smart_home import energy_report

today = date(2026, 1, 31)
report = await energy_report(from_=str(today - timedelta(days=7)), until=str(today))
print(report["total_kwh"])
