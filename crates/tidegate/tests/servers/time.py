# expect: {"zone": "UTC", "in_india": "06:00:00+05:30", "difference": "-3.5h", "wrong": "ToolError"}

import asyncio

from servers.time import convert_time, get_current_time

now, there = await asyncio.gather(
    get_current_time("UTC"),
    convert_time("Asia/Tokyo", "09:30", "Asia/Kolkata"),
)
try:
    wrong = await convert_time(source_timezone="Nowhere", time="09:30", target_timezone="UTC")
except ToolError as error:
    wrong = "ToolError" if "Nowhere" in str(error) else str(error)

{
    "zone": now["timezone"],
    "in_india": there["target"]["datetime"].partition("T")[2],
    "difference": there["time_difference"],
    "wrong": wrong,
}
