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
    lost is not: the connection is made again, and what was missed is told. One question at a time is answered: whoever
    asks the next one before the end of the last first waits for that, or cancels it.
    """

    def __init__(self, transport: Transport, conversation: str | None) -> None:
        self._transport = transport
        self._line: ClientConnection | None = None
        self._seen = 0
        self._is_begun = False
        self._is_open = False
        self._is_cancelled = False
        self._is_heard = False
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
        if self._is_open:
            self._end()
        body: models.Ask = {"question": question, **options}
        if self.conversation is not None:
            body.setdefault("conversation", self.conversation)
        self._seen, self._is_begun, self._is_cancelled = 0, False, False
        self._begin({"type": "ask", **body})
        self._is_open = True
        for event in self.events():
            yield event

    def events(self) -> Iterator[AskEvent]:
        """What happens until the question that is under way is over."""
        while True:
            told = self._told()
            if told["type"] == "refused":
                # What was to be cancelled had just come to its end.
                if told.get("code") == "nothing_to_cancel":
                    continue
                self._is_open = False
                raise ChatRefused(str(told.get("code")), str(told.get("message")))
            event = self._event(told)
            self._is_open = not is_last(event)
            yield event
            if is_last(event):
                return

    def cancel(self) -> None:
        """Ends the question that is under way; `events` then ends with `Unanswered`."""
        if not self._is_open:
            return
        self._is_cancelled = True
        try:
            self._say_still({"type": "cancel"})
        except ConnectionFailed:
            # Whoever hears the question takes it up again, and says so then.
            if not self._is_heard:
                self._drop()
                self._take_up()

    def resume(self, conversation: str, after: int = 0) -> History:
        """Takes a conversation up again: what was said in it; then `events` tells what came after so many events."""
        self._is_cancelled = False
        return self._resume(conversation, after)

    def _resume(self, conversation: str, after: int) -> History:
        # What another question still tells over the line is no answer to this.
        self._drop()
        self._say({"type": "resume", "conversation": conversation, "after": after})
        told = self._hear()
        if told["type"] == "refused":
            raise ChatRefused(str(told.get("code")), str(told.get("message")))
        if told["type"] != "history":
            raise UnexpectedAnswer(f"the chat was to be taken up, and `{told['type']}` came")
        self.conversation, self._seen, self._is_begun = conversation, after, True
        history = read(History, told)
        self._is_open = history.follows
        return history

    def _told(self) -> dict[str, Any]:
        """The next message of the question, which is taken up again where the line was lost."""
        lost = 0
        self._is_heard = True
        try:
            while True:
                try:
                    if self._line is None:
                        self._take_up()
                    return self._hear()
                except ConnectionFailed:
                    self._drop()
                    lost += 1
                    # Nobody knows whether a question was heard of which nothing has come yet.
                    if not self._is_begun or lost > REOPENED:
                        self._is_open = False
                        raise
                    time.sleep(0.1 * 2**lost)
        finally:
            self._is_heard = False

    def _end(self) -> None:
        """Hears the question before to its end, of which somebody has left."""
        try:
            for _ in self.events():
                pass
        except (ChatRefused, ConnectionFailed):
            # It has no end, and the next one is asked all the same.
            self._drop()

    def _take_up(self) -> None:
        if self.conversation is None or not self._is_begun:
            raise ConnectionFailed("no question is under way that could be taken up; ask one")
        history = self._resume(self.conversation, self._seen)
        if not history.follows:
            self._is_begun = False
            raise ConnectionFailed("the gateway has forgotten the question; ask it again")
        if self._is_cancelled:
            self._say({"type": "cancel"})

    def _event(self, told: dict[str, Any]) -> AskEvent:
        """The event of a message, and how many there were."""
        conversation, number = told.get("conversation"), told.get("seq")
        if not isinstance(conversation, str) or not isinstance(number, int):
            raise UnexpectedAnswer(f"a message `{told['type']}` of the chat has no `conversation` and no number `seq`")
        self.conversation, self._seen, self._is_begun = conversation, number + 1, True
        return chat_event_of(told)

    def _begin(self, message: dict[str, Any]) -> None:
        """Says what nobody has heard before, also where the line was lost while nobody used it."""
        was_open = self._line is not None
        try:
            self._say(message)
        except ConnectionFailed:
            self._drop()
            if not was_open:
                raise
            self._say(message)

    def _say_still(self, message: dict[str, Any]) -> None:
        """Says what means nothing over another line than the one that is there."""
        if self._line is None:
            raise ConnectionFailed("this end has hung up")
        self._say(message)

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
