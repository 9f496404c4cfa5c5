"""demo.slow"""
from typing import Any

from servers import tool


@tool("demo", "slow")
async def slow(text: str, *, ms: int | None = None) -> Any:
    """Gives its arguments back, but not at once."""
    ...
