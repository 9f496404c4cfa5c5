# expect: value ["2024-05-01T12:30:00", "2024-05-01T12:30:00+00:00", "2024-05-01", "12:30:00"]
from datetime import UTC, date, datetime, time

[datetime(2024, 5, 1, 12, 30), datetime(2024, 5, 1, 12, 30, tzinfo=UTC), date(2024, 5, 1), time(12, 30)]
