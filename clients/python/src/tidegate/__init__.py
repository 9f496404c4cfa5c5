"""A client for Tidegate: programs in a sandbox, with the tools of MCP servers as functions.

>>> from tidegate import Tidegate
>>> with Tidegate("http://127.0.0.1:8030") as gate:
...     gate.execute("return 6 * 7").return_value
42

`AsyncTidegate` has the same methods, to be awaited.
"""

from tidegate import models
from tidegate._async.client import AsyncTidegate
from tidegate._async.transport import AsyncEvents
from tidegate._sync.client import Tidegate
from tidegate._sync.transport import Events
from tidegate.errors import (
    ApiError,
    ConnectionFailed,
    ProgramFailed,
    TidegateError,
    TimedOut,
    UnexpectedAnswer,
)
from tidegate.events import CallEnded, CallStarted, Ended, OtherEvent, Output, RunEvent, StatusChanged
from tidegate.shown import text_of, value_of

__all__ = [
    "ApiError",
    "AsyncEvents",
    "AsyncTidegate",
    "CallEnded",
    "CallStarted",
    "ConnectionFailed",
    "Ended",
    "Events",
    "OtherEvent",
    "Output",
    "ProgramFailed",
    "RunEvent",
    "StatusChanged",
    "Tidegate",
    "TidegateError",
    "TimedOut",
    "UnexpectedAnswer",
    "models",
    "text_of",
    "value_of",
]
