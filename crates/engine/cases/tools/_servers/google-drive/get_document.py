"""google-drive.getDocument"""
from typing import Any

from servers import tool


@tool("google-drive", "getDocument", {"document_id": "documentId"})
async def get_document(document_id: str) -> Any:
    """Reads a document."""
    ...


getDocument = get_document
