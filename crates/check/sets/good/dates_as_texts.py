from datetime import UTC, date, datetime, timedelta
from servers.crm import log_activity
from servers.smart_home import energy_report

today = date(2026, 1, 31)
print(await energy_report(from_=(today - timedelta(days=7)).isoformat(), to=today.isoformat()))
print(await energy_report(**{"from": str(today), "to": f"{today:%Y-%m-%d}"}))
print(await log_activity(contact_id="c1", kind="call", at=datetime.now(UTC).isoformat()))
