import typing
from typing import Any, cast

from servers.weather import current

found = cast(str, await current(city="Bonn"))
print(found["city"][:3])
listed = typing.cast("list[dict]", await current(city="Bonn"))
print(listed["humidity"])
data: Any = cast(int, "s")
print(data.upper())
