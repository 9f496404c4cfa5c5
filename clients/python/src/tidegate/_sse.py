"""Server-sent events: bytes in, messages out.

Lines end at CR, LF or both, and nowhere else. Python's own `splitlines` would also end them inside JSON, at U+2028 and
its like, which programs may well print.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidegate.errors import UnexpectedAnswer

_END = re.compile(rb"\r\n|\n|\r")

MOST_BYTES = 256 << 20
"""Bytes of one message, at most."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    event: str
    data: str
    id: str | None


class Decoder:
    """Puts messages together from whatever pieces they come in."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._bytes = 0
        self._event = ""
        self._data: list[bytes] = []
        self._id: str | None = None

    def feed(self, piece: bytes) -> list[Message]:
        """What is complete with this piece."""
        self._bytes += len(piece)
        if self._bytes > MOST_BYTES:
            raise UnexpectedAnswer(f"an event has more than {MOST_BYTES} bytes")
        self._rest.append(piece)
        if b"\n" not in piece and b"\r" not in piece:
            return []
        *lines, rest = _END.split(b"".join(self._rest))
        if piece.endswith(b"\r"):
            # The other half of its end may be on the way.
            rest = lines.pop() + b"\r"
        self._rest = [rest]
        messages = []
        for line in lines:
            if message := self._line(line):
                messages.append(message)
                self._bytes = 0
        return messages

    def _line(self, line: bytes) -> Message | None:
        if not line:
            return self._complete()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data.append(value)
            case b"event":
                self._event = value.decode(errors="replace")
            case b"id":
                self._id = value.decode(errors="replace")
            case _:
                # A comment says that the other side is still there, and counts for nothing.
                self._bytes -= len(line)
        return None

    def _complete(self) -> Message | None:
        data, event = self._data, self._event
        self._data, self._event = [], ""
        if not data:
            return None
        return Message(event or "message", b"\n".join(data).decode(errors="replace"), self._id)
