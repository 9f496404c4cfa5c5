"""Google Drive (google-drive): 1 tool."""
from servers import lazy

__getattr__, __dir__, __all__ = lazy(__name__, {
    "get_document": "get_document", "getDocument": "get_document",
})
