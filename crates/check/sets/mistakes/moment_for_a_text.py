# expect: wrong-type 6
from datetime import date, timedelta
from servers.smart_home import energy_report

start = date(2026, 1, 2) - timedelta(days=7)
print(await energy_report(start, len("a")))
