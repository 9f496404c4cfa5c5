# Generated from _async/chat.py by scripts/generate-clients; not to be edited.
"""A conversation over a WebSocket: questions in, what happens out; taken up again where the connection is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

import time

from tidegate import _wire, models
from tidegate._sync.transport import REOPENED, Transport
from tidegate._read import read
from tidegate.asking import AskEvent, History, chat_event_of, chat_message_of, is_last
from tidegate.errors import ChatRefused, ConnectionFailed, UnexpectedAnswer
from tidegate.models import AskOptions

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

__all__ = ["Chat"]


class Chat:
    """One conversation, and the connection that it goes on over.

    The first question begins it, and the next ones go on with it. A question that is under way when the connection is
    lost is not: the connection is made again, and what was missed is told. One question at a time is answered.
    """

    def __init__(self, transport: Transport, conversation: str | None) -> None:
        self._transport = transport
        self._line: ClientConnection | None = None
        self._seen = 0
        self._is_begun = False
        self.conversation = conversation
        """What it is called, once it has begun."""

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hangs up. A question that is being answered goes on, and can be taken up again."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def ask(self, question: str, **options: Unpack[AskOptions]) -> Iterator[AskEvent]:
        """Asks, and tells each step and each word until the answer, or why there is none.

        What cannot be asked raises `ChatRefused`. Whoever leaves before the end goes on with `events`, or cancels.
        """
        body: models.Ask = {"question": question, **options}
        if self.conversation is not None:
            body.setdefault("conversation", self.conversation)
        self._seen, self._is_begun = 0, False
        self._say({"type": "ask", **body})
        for event in self.events():
            yield event

    def events(self) -> Iterator[AskEvent]:
        """What happens until the question that is under way is over."""
        lost = 0
        while True:
            try:
                if lost:
                    self._take_up()
                told = self._hear()
            except ConnectionFailed:
                self._drop()
                lost += 1
                # Nobody knows whether a question was heard of which nothing has come yet.
                if not self._is_begun or lost > REOPENED:
                    raise
                time.sleep(0.1 * 2**lost)
                continue
            lost = 0
            if told["type"] == "refused":
                # What was to be cancelled had just come to its end.
                if told.get("code") == "nothing_to_cancel":
                    continue
                raise ChatRefused(str(told.get("code")), str(told.get("message")))
            event = self._event(told)
            yield event
            if is_last(event):
                return

    def cancel(self) -> None:
        """Ends the question that is under way; `events` then ends with `Unanswered`."""
        self._say({"type": "cancel"})

    def resume(self, conversation: str, after: int = 0) -> History:
        """Takes a conversation up again: what was said in it; then `events` tells what came after so many events."""
        self._say({"type": "resume", "conversation": conversation, "after": after})
        told = self._hear()
        if told["type"] == "refused":
            raise ChatRefused(str(told.get("code")), str(told.get("message")))
        if told["type"] != "history":
            raise UnexpectedAnswer(f"the chat was to be taken up, and `{told['type']}` came")
        self.conversation, self._seen, self._is_begun = conversation, after, True
        return read(History, told)

    def _take_up(self) -> None:
        if self.conversation is None:
            raise UnexpectedAnswer("the gateway has not said which conversation this is")
        history = self.resume(self.conversation, self._seen)
        if not history.follows:
            self._is_begun = False
            raise ConnectionFailed("the gateway has forgotten the question; ask it again")

    def _event(self, told: dict[str, Any]) -> AskEvent:
        """The event of a message, and how many there were."""
        conversation, number = told.get("conversation"), told.get("seq")
        if not isinstance(conversation, str) or not isinstance(number, int):
            raise UnexpectedAnswer(f"a message `{told['type']}` of the chat has no `conversation` and no number `seq`")
        self.conversation, self._seen, self._is_begun = conversation, number + 1, True
        return chat_event_of(told)

    def _say(self, message: dict[str, Any]) -> None:
        line = self._open()
        with _wire.told_by_websockets():
            line.send(json.dumps(message))

    def _hear(self) -> dict[str, Any]:
        line = self._open()
        with _wire.told_by_websockets():
            return chat_message_of(line.recv())

    def _open(self) -> ClientConnection:
        if self._line is None:
            self._line = self._transport.line("/ws/chat")
        return self._line

    def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()
