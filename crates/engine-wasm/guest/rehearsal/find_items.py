"""rehearsal.find_items"""
from typing import Literal, NotRequired, TypedDict

from servers import tool


class FindItemsResultItemsItem(TypedDict):
    id: int
    title: NotRequired[str]


class FindItemsResult(TypedDict):
    count: int
    items: NotRequired[list[FindItemsResultItemsItem]]


@tool("rehearsal", "find_items")
async def find_items(
    query: str,
    *,
    kind: Literal["open", "closed"] | None = None,
    limit: int | None = None,
) -> FindItemsResult:
    """Finds items of a kind, newest first.

    Args:
        query: What to look for.
        limit: (at least 1; at most 100; default 10)

    Example:
        from servers.rehearsal import find_items
        result = await find_items(query="...")
    """
    ...
