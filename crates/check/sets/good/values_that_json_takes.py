import datetime
import decimal
import pathlib
import uuid
from servers.crm import log_activity, send_email
from servers.files import read_text
from servers.warehouse import run_query
from servers.weather import forecast, history

await log_activity("c-1", "call", at=datetime.datetime.now(), notes=str(uuid.uuid4()))
await history({"latitude": 59.9, "longitude": 10.7}, datetime.date(2026, 1, 1), end=datetime.date.today())
await read_text(pathlib.Path("/reports") / "a.txt")
await read_text(path=pathlib.PurePosixPath("/a.txt"))
await forecast("Oslo", days=int("5"))
await forecast("Oslo", 7.0)
await send_email({"a@example.org", "b@example.org"}, "Hello", f"Today is {datetime.date.today()}")
await send_email(("a@example.org",), subject="Hi", body="x", cc=[])
await run_query("select ?", parameters=[1, "two", None, decimal.Decimal("3.5")], timeout_seconds=30)
