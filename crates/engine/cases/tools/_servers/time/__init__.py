"""Time: 1 tool."""
from servers import lazy

__getattr__, __dir__, __all__ = lazy(__name__, {
    "get_current_time": "get_current_time", "getCurrentTime": "get_current_time",
})
