"""A client for Tidegate: programs in a sandbox, with the tools of MCP servers as functions.

>>> from tidegate import Tidegate
>>> with Tidegate("http://127.0.0.1:8030") as gate:
...     gate.execute("return 6 * 7").return_value
42

`AsyncTidegate` has the same methods, to be awaited.
"""

from tidegate import models
from tidegate._async.chat import AsyncChat
from tidegate._async.client import AsyncTidegate
from tidegate._async.transport import AsyncEvents, AsyncSteps
from tidegate._sync.chat import Chat
from tidegate._sync.client import Tidegate
from tidegate._sync.transport import Events, Steps
from tidegate.asking import Anew, AskEvent, History, Step, Unanswered, Words
from tidegate.errors import (
    ApiError,
    ChatRefused,
    ConnectionFailed,
    ProgramFailed,
    TidegateError,
    TimedOut,
    UnexpectedAnswer,
)
from tidegate.events import CallEnded, CallStarted, Ended, OtherEvent, Output, RunEvent, StatusChanged
from tidegate.shown import text_of, value_of

__all__ = [
    "Anew",
    "ApiError",
    "AskEvent",
    "AsyncChat",
    "AsyncEvents",
    "AsyncSteps",
    "AsyncTidegate",
    "CallEnded",
    "CallStarted",
    "Chat",
    "ChatRefused",
    "ConnectionFailed",
    "Ended",
    "Events",
    "History",
    "OtherEvent",
    "Output",
    "ProgramFailed",
    "RunEvent",
    "StatusChanged",
    "Step",
    "Steps",
    "Tidegate",
    "TidegateError",
    "TimedOut",
    "Unanswered",
    "UnexpectedAnswer",
    "Words",
    "models",
    "text_of",
    "value_of",
]
