from datetime import date, datetime, timedelta, timezone

start = date(2026, 1, 31)
weeks = [start + timedelta(weeks=n) for n in range(4)]
moment = datetime(2026, 3, 1, 12, 30, tzinfo=timezone.utc)
later = moment + timedelta(hours=36)
{"weeks": [day.isoformat() for day in weeks], "later": later.strftime("%Y-%m-%d %H:%M"), "days": (later - moment).days}
