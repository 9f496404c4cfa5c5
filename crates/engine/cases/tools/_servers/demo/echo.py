"""demo.echo"""
from typing import Any

from servers import tool


@tool("demo", "echo")
async def echo(text: str, *, times: int | None = None, tags: list[str] | None = None) -> Any:
    """Gives its arguments back.

    Args:
        text: what to say.
        times: how often.
        tags: whatever else.
    """
    ...
