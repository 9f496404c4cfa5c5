"""What happens in a run, as it is told while one follows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tidegate._read import read
from tidegate._sse import Message
from tidegate.errors import UnexpectedAnswer
from tidegate.models import Call, Run, RunStatus

__all__ = ["CallEnded", "CallStarted", "Ended", "OtherEvent", "Output", "RunEvent", "StatusChanged"]


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """The run is somewhere else now."""

    status: RunStatus
    run_id: str


@dataclass(frozen=True, slots=True)
class Output:
    """The program printed something."""

    stream: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The program asked something of a server."""

    call: Call


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The server answered."""

    call: Call


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over; nothing comes after this."""

    run: Run


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """Something that this version of the package does not know."""

    name: str
    data: Any


RunEvent: TypeAlias = StatusChanged | Output | CallStarted | CallEnded | Ended | OtherEvent


def event_of(message: Message) -> RunEvent:
    """The event that a message of the stream tells."""
    try:
        data = json.loads(message.data)
    except ValueError as error:
        raise UnexpectedAnswer(f"an event `{message.event}` is no JSON: {error}") from error
    match message.event:
        case "status":
            return read(StatusChanged, data)
        case "output":
            return read(Output, data)
        case "call":
            return CallStarted(read(Call, data))
        case "call_end":
            return CallEnded(read(Call, data))
        case "end":
            return Ended(read(Run, data))
        case name:
            return OtherEvent(name, data)
