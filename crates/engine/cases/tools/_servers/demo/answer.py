"""demo.answer"""
from typing import Any

from servers import tool


@tool("demo", "answer")
async def answer(answer: Any) -> Any:
    """Answers with exactly this."""
    ...
