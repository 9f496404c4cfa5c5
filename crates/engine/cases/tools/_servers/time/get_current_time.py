"""time.get_current_time"""
from typing import Any

from servers import tool


@tool("time", "get_current_time")
async def get_current_time(timezone: str) -> Any:
    """Says what time it is."""
    ...
