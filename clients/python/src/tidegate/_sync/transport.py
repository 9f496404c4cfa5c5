# Generated from _async/transport.py by scripts/generate-clients; not to be edited.
"""Sends requests, and tries again where that was asked for; follows streams."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import time
import httpx

from tidegate import _wire
from tidegate._sse import Decoder, Message
from tidegate._wire import Ask, Patience, Token
from tidegate.asking import AskEvent, ask_event_of, is_last
from tidegate.errors import ApiError, ConnectionFailed, TidegateError, TimedOut
from tidegate.events import Ended, RunEvent, event_of

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

T = TypeVar("T")
E = TypeVar("E")

REOPENED = 5
"""How often a stream that was cut is opened again before anything new has come."""


class Transport:
    """One gateway, with or without a token."""

    def __init__(
        self,
        url: str,
        token: str | None,
        patience: Patience,
        http: httpx.Client | None,
    ) -> None:
        self.url = _wire.address(url)
        self._token = Token(token) if token is not None else None
        self._patience = patience
        self._http = http if http is not None else httpx.Client()
        self._is_ours = http is None

    def __repr__(self) -> str:
        token = "" if self._token is None else f", token={self._token!r}"
        return f"{str(self.url)!r}{token}"

    def close(self) -> None:
        """Closes its connections, unless somebody else's are used."""
        if self._is_ours:
            self._http.close()

    def send(self, ask: Ask[T]) -> T:
        """Asks, and reads the answer."""
        tried = 0
        while True:
            response = self._sent(ask, is_stream=False)
            try:
                return ask.read(ask.check(response))
            except ApiError as error:
                wait = self._patience.before_retry(error, tried)
                if wait is None:
                    raise
            tried += 1
            time.sleep(wait)

    def open(self, ask: Ask[Any]) -> httpx.Response:
        """Asks for a stream. Whoever gets it closes it."""
        tried, wait = 0, 0.0
        while True:
            response = self._sent(ask, is_stream=True)
            if response.is_success:
                return response
            try:
                response.read()
                _wire.checked(response)
            except ApiError as error:
                again = self._patience.before_retry(error, tried)
                if again is None:
                    raise
                wait = again
            except httpx.TransportError as error:
                raise told(error) from error
            finally:
                response.close()
            tried += 1
            time.sleep(wait)

    def line(self, path: str) -> ClientConnection:
        """Opens a WebSocket. Whoever gets it closes it."""
        with _wire.told_by_websockets():
            from websockets.sync.client import connect

            return connect(
                f"ws{str(self.url).rstrip('/').removeprefix('http')}{path}",
                additional_headers=self._token.headers() if self._token is not None else None,
                open_timeout=self._patience.timeout,
                max_size=_wire.MOST_MESSAGE,
            )

    def _sent(self, ask: Ask[Any], is_stream: bool) -> httpx.Response:
        timeout = self._patience.of(ask)
        if is_stream:
            timeout = httpx.Timeout(self._patience.timeout, read=_wire.ALIVE)
        request = self._http.build_request(
            ask.method,
            f"{str(self.url).rstrip('/')}{ask.path}",
            params=ask.query or None,
            json=ask.json,
            content=ask.content,
            headers={**ask.headers, **(self._token.headers() if self._token is not None else {})},
            timeout=timeout,
        )
        try:
            # Elsewhere is somebody else, who has no business with the token.
            return self._http.send(request, stream=is_stream, follow_redirects=False)
        except httpx.TransportError as error:
            raise told(error) from error


def told(error: httpx.TransportError) -> TidegateError:
    """The error as this package tells it."""
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"no answer in time: {type(error).__name__}; see `timeout` and `run_timeout` of the client")
    return ConnectionFailed(f"{type(error).__name__}: {error}")


class Stream(Generic[E]):
    """Events, one after the other, until the last one.

    The request is made by the first event that is asked for, or by entering.
    """

    _END = "its last event"

    def __init__(self, transport: Transport, ask: Ask[Any], can_reopen: bool) -> None:
        self._transport = transport
        self._ask = ask
        self._can_reopen = can_reopen
        self._ready: deque[E] = deque()
        self._response: httpx.Response | None = None
        self._pieces: Iterator[bytes] | None = None
        self._decoder = Decoder()
        self._last: str | None = None
        self._cuts = 0
        self._is_over = False

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> E:
        while not self._ready:
            if self._is_over:
                self.close()
                raise StopIteration
            self._more()
        return self._ready.popleft()

    def close(self) -> None:
        """Stops listening."""
        self._is_over = True
        self._ready.clear()
        self._hang_up()

    def _open(self) -> Iterator[bytes]:
        if self._pieces is None:
            ask = self._ask
            if self._last is not None:
                headers = {**ask.headers, "Last-Event-ID": self._last}
                ask = dataclasses.replace(ask, headers=headers)
            self._response = self._transport.open(ask)
            self._decoder = Decoder()
            self._pieces = self._response.iter_bytes()
        return self._pieces

    def _hang_up(self) -> None:
        response, self._response, self._pieces = self._response, None, None
        if response is not None:
            response.close()

    def _more(self) -> None:
        """Hears what comes next, or opens the stream again if it was cut."""
        cut: TidegateError = ConnectionFailed(f"the stream ended before {self._END}")
        try:
            pieces = self._open()
            for piece in pieces:
                if self._hear(piece):
                    return
        except httpx.TransportError as error:
            cut = told(error)
        except (ConnectionFailed, TimedOut) as error:
            cut = error
        self._hang_up()
        self._cuts += 1
        if not self._can_reopen or self._cuts > REOPENED:
            self._is_over = True
            raise cut
        time.sleep(0.1 * 2**self._cuts)

    def _hear(self, piece: bytes) -> bool:
        """Whether there is something new to tell."""
        messages = self._decoder.feed(piece)
        for message in messages:
            self._cuts = 0
            self._last = message.id if message.id is not None else self._last
            event = self._event(message)
            self._ready.append(event)
            self._is_over = self._is_over or self._is_last(event)
        return bool(messages)

    def _event(self, message: Message) -> E:
        """The event that a message tells."""
        raise NotImplementedError

    def _is_last(self, event: E) -> bool:
        """Whether nothing comes after it."""
        raise NotImplementedError


class Events(Stream[RunEvent]):
    """What happens in a run, one event after the other, until it has ended.

    The request is made by the first event that is asked for, or by entering. Closing before the end cancels a run
    that `stream` started, and leaves one alone that `follow` follows.
    """

    _END = "the run did"

    def _event(self, message: Message) -> RunEvent:
        return event_of(message)

    def _is_last(self, event: RunEvent) -> bool:
        return isinstance(event, Ended)


class Steps(Stream[AskEvent]):
    """What happens while a question is answered, until its answer or why there is none. Closing before cancels it."""

    _END = "the answer came"

    def _event(self, message: Message) -> AskEvent:
        return ask_event_of(message)

    def _is_last(self, event: AskEvent) -> bool:
        return is_last(event)
