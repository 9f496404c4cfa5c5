"""demo.anything"""
from typing import Any

from servers import tool


@tool("demo", "anything")
async def anything(**arguments: Any) -> Any:
    """Takes whatever it is given."""
    ...
