"""Requests and answers, before they are sent and after they have come: what both clients share."""

from __future__ import annotations

import contextlib
import email.utils
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from tidegate._read import read
from tidegate.errors import ApiError, ConnectionFailed, TimedOut, UnexpectedAnswer

T = TypeVar("T")

ALIVE = 60.0
"""Seconds without a byte after which a stream counts as cut; the gateway says every 15 that it is there."""


MOST_MESSAGE = 256 * 1024 * 1024
"""Bytes of one message of a chat, at most."""

BYTES = {"Content-Type": "application/octet-stream"}


def checked(response: httpx.Response) -> httpx.Response:
    """The answer of a request that was done; its body has been read."""
    if response.is_success:
        return response
    error = _error(response)
    if error is None:
        # A proxy's words, or those of something that is no gateway.
        message = f"status {response.status_code} {response.reason_phrase}".strip()
        error = {"code": "http_error", "message": message}
    raise ApiError(
        response.status_code,
        str(error.get("code")),
        str(error.get("message")),
        hint if isinstance(hint := error.get("hint"), str) else None,
        _retry_after(response.headers.get("retry-after")),
    )


def told_health(response: httpx.Response) -> httpx.Response:
    """The same, where 503 may be an answer about the gateway's health."""
    is_health = response.status_code == httpx.codes.SERVICE_UNAVAILABLE and _error(response) is None
    return response if is_health else checked(response)


def _error(response: httpx.Response) -> dict[str, Any] | None:
    try:
        told = response.json()
    except ValueError:
        return None
    error = told.get("error") if isinstance(told, dict) else None
    return error if isinstance(error, dict) else None


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """One request, and how its answer is read."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    params: Mapping[str, object] = field(default_factory=dict)
    json: object = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_run: bool = False
    """Whether its answer comes when a program has ended."""
    check: Callable[[httpx.Response], httpx.Response] = checked
    """Raises if the answer is none."""

    @property
    def query(self) -> dict[str, str]:
        """The parameters as an address has them; what is `None` is left out."""
        return {name: _written(value) for name, value in self.params.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a client waits for what."""

    timeout: float
    run_timeout: float
    retries: int
    longest_wait: float

    def of(self, ask: Ask[Any]) -> httpx.Timeout:
        """For a request and its answer."""
        seconds = self.timeout
        if ask.is_run:
            wanted = ask.json.get("timeout") if isinstance(ask.json, dict) else None
            seconds = max(self.run_timeout, (wanted or 0) + self.timeout)
        return httpx.Timeout(self.timeout, read=seconds)

    def before_retry(self, error: ApiError, tried: int) -> float | None:
        """Seconds to wait before it is tried again, or `None` if it is not."""
        if tried >= self.retries or error.status not in (429, 503) or error.retry_after is None:
            return None
        return error.retry_after if error.retry_after <= self.longest_wait else None


class Token:
    """A token that is never shown."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        if not value.isascii() or not value.isprintable() or " " in value:
            # What it is instead is not said: it may be the token and a line end.
            raise ValueError("a token is printable ASCII without blanks, such as `tidegate token create` prints it")
        self._value = value

    def __repr__(self) -> str:
        return "***"

    def headers(self) -> dict[str, str]:
        """What makes a request this token's."""
        return {"Authorization": f"Bearer {self._value}"}


def address(url: str) -> httpx.URL:
    """The gateway's address, checked."""
    parsed = httpx.URL(url)
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError("the address of a gateway begins with http:// or https:// and a host")
    if parsed.userinfo:
        raise ValueError("the address of a gateway has no name and password; pass `token`")
    return parsed


def segment(name: str) -> str:
    """A name as one part of a path.

    Names that would lead elsewhere are refused here, because clients and proxies take them out of a path before the
    gateway sees it: `DELETE …/files/..` would be about the session.
    """
    if name in ("", ".", ".."):
        raise ValueError(f"{name!r} is not the name of anything")
    return quote(name, safe="")


def file_path(path: str) -> str:
    """A file's path below `/workspace`, as parts of a path."""
    below = path.removeprefix("/workspace/")
    return "/".join(segment(part) for part in below.split("/"))


def of(kind: type[T]) -> Callable[[httpx.Response], T]:
    """Reads an answer that is JSON of this model."""
    return lambda response: read(kind, json_of(response))


def json_of(response: httpx.Response) -> Any:
    """An answer's JSON."""
    try:
        return response.json()
    except ValueError as error:
        kind = response.headers.get("content-type", "of no type")
        raise UnexpectedAnswer(f"the answer ({response.status_code}, {kind}) is no JSON; is this a gateway?") from error


def nothing(_: httpx.Response) -> None:
    """Reads an answer that has nothing in it."""


def content(response: httpx.Response) -> bytes:
    """Reads an answer that is bytes."""
    return response.content


@contextlib.contextmanager
def told_by_websockets() -> Iterator[None]:
    """What goes wrong with a WebSocket, as this package tells it."""
    try:
        from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
    except ImportError as error:
        raise ImportError("a chat needs the package websockets: pip install 'tidegate[chat]'") from error
    try:
        yield
    except InvalidStatus as error:
        answer, content = error.response, bytes(error.response.body or b"")
        checked(httpx.Response(answer.status_code, headers=list(answer.headers.raw_items()), content=content))
        raise UnexpectedAnswer(f"{error}; is this a gateway?") from error
    except ConnectionClosed as error:
        raise ConnectionFailed(f"the gateway hung up: {error}") from error
    except TimeoutError as error:
        raise TimedOut(f"no connection in time: {error}; see `timeout` of the client") from error
    except (OSError, WebSocketException) as error:
        raise ConnectionFailed(f"{type(error).__name__}: {error}") from error


def _retry_after(given: str | None) -> float | None:
    if given is None:
        return None
    if given.strip().isdecimal():
        return float(given)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)
