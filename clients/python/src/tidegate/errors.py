"""What can go wrong, by whose fault it was.

All of it is a `TidegateError`. None of it holds the token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidegate.models import Run

__all__ = [
    "ApiError",
    "ChatRefused",
    "ConnectionFailed",
    "ProgramFailed",
    "TidegateError",
    "TimedOut",
    "UnexpectedAnswer",
]


class TidegateError(Exception):
    """Anything that this package raises by itself."""


class ApiError(TidegateError):
    """The gateway refused a request, or could not do it."""

    def __init__(
        self, status: int, code: str, message: str, hint: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(status, code, message, hint, retry_after)
        self.status = status
        """The HTTP status."""
        self.code = code
        """A word that stays the same from version to version, such as `unknown_session`."""
        self.message = message
        """What went wrong, in words."""
        self.hint = hint
        """What to try next, where that is known."""
        self.retry_after = retry_after
        """Seconds after which to try again, where that is known."""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.code}: {self.message}{hint}"


class ChatRefused(TidegateError):
    """The gateway did not do what a message of a chat asked for; the chat goes on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        """A word that stays the same, such as `conversation_busy`."""
        self.message = message
        """What was wrong, in words."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class ConnectionFailed(TidegateError):
    """The gateway could not be reached, or hung up."""


class TimedOut(TidegateError):
    """No answer came in the time that the client allows."""


class UnexpectedAnswer(TidegateError):
    """What came back is not what a gateway of this version answers."""


class ProgramFailed(TidegateError):
    """A program did not reach its own end; raised by `value_of` only."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.run = run
        """The run, whose `error` says why."""

    def __str__(self) -> str:
        error = self.run.error
        if error is None:
            return f"the run is not over; it is {self.run.status}"
        hint = f" ({error.hint})" if error.hint else ""
        return f"{error.type}: {error.message}{hint}"
