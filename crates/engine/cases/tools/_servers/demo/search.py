"""demo.search"""
from typing import Any, NotRequired, TypedDict

from servers import tool


class SearchFilter(TypedDict):
    field: str
    equals: NotRequired[str]


@tool("demo", "search")
async def search(filter: SearchFilter, *, limit: int | None = None) -> list[dict[str, Any]]:
    """Finds what passes a filter."""
    ...
