"""demo.createIssue"""
from typing import Any, Literal

from servers import UNSET, tool


@tool("demo", "createIssue", {"class_": "class", "from_": "from"})
async def create_issue(
    owner: str,
    repo: str,
    title: str,
    *,
    body: str | None = None,
    class_: Literal["bug", "wish"] | None = None,
    from_: str | None = None,
    assignee: str | None = UNSET,
) -> Any:
    """Opens an issue.

    Args:
        owner: whose repository.
        repo: its name.
        title: one line.
        body: the rest (Markdown).
        class_: one of "bug", "wish".
        from_: who says so.
        assignee: who does it; None for nobody.

    Example:
        issue = await create_issue(owner="...", repo="...", title="...")
    """
    ...


createIssue = create_issue
