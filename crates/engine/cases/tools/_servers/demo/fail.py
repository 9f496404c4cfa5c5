"""demo.fail"""
from typing import Any

from servers import tool


@tool("demo", "fail")
async def fail(message: str, *, kind: str | None = None) -> Any:
    """Fails with these words."""
    ...
