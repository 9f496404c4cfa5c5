"""A conversation over a WebSocket: questions in, what happens out; taken up again where the connection is lost."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

import anyio

from tidegate import _wire, models
from tidegate._async.transport import REOPENED, AsyncTransport
from tidegate._read import read
from tidegate.asking import AskEvent, History, chat_event_of, chat_message_of, is_last
from tidegate.errors import ChatRefused, ConnectionFailed, UnexpectedAnswer
from tidegate.models import AskOptions

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

__all__ = ["AsyncChat"]


class AsyncChat:
    """One conversation, and the connection that it goes on over.

    The first question begins it, and the next ones go on with it. A question that is under way when the connection is
    lost is not: the connection is made again, and what was missed is told. One question at a time is answered: whoever
    asks the next one before the end of the last first waits for that, or cancels it.
    """

    def __init__(self, transport: AsyncTransport, conversation: str | None) -> None:
        self._transport = transport
        self._line: ClientConnection | None = None
        self._seen = 0
        self._is_begun = False
        self._is_open = False
        self._is_cancelled = False
        self._is_heard = False
        self.conversation = conversation
        """What it is called, once it has begun."""

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Hangs up. A question that is being answered goes on, and can be taken up again."""
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> AsyncIterator[AskEvent]:
        """Asks, and tells each step and each word until the answer, or why there is none.

        What cannot be asked raises `ChatRefused`. Whoever leaves before the end goes on with `events`, or cancels.
        """
        if self._is_open:
            await self._end()
        body: models.Ask = {"question": question, **options}
        if self.conversation is not None:
            body.setdefault("conversation", self.conversation)
        self._seen, self._is_begun, self._is_cancelled = 0, False, False
        await self._begin({"type": "ask", **body})
        self._is_open = True
        async for event in self.events():
            yield event

    async def events(self) -> AsyncIterator[AskEvent]:
        """What happens until the question that is under way is over."""
        while True:
            told = await self._told()
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

    async def cancel(self) -> None:
        """Ends the question that is under way; `events` then ends with `Unanswered`."""
        if not self._is_open:
            return
        self._is_cancelled = True
        try:
            await self._say_still({"type": "cancel"})
        except ConnectionFailed:
            # Whoever hears the question takes it up again, and says so then.
            if not self._is_heard:
                await self._drop()
                await self._take_up()

    async def resume(self, conversation: str, after: int = 0) -> History:
        """Takes a conversation up again: what was said in it; then `events` tells what came after so many events."""
        self._is_cancelled = False
        return await self._resume(conversation, after)

    async def _resume(self, conversation: str, after: int) -> History:
        # What another question still tells over the line is no answer to this.
        await self._drop()
        await self._say({"type": "resume", "conversation": conversation, "after": after})
        told = await self._hear()
        if told["type"] == "refused":
            raise ChatRefused(str(told.get("code")), str(told.get("message")))
        if told["type"] != "history":
            raise UnexpectedAnswer(f"the chat was to be taken up, and `{told['type']}` came")
        self.conversation, self._seen, self._is_begun = conversation, after, True
        history = read(History, told)
        self._is_open = history.follows
        return history

    async def _told(self) -> dict[str, Any]:
        """The next message of the question, which is taken up again where the line was lost."""
        lost = 0
        self._is_heard = True
        try:
            while True:
                try:
                    if self._line is None:
                        await self._take_up()
                    return await self._hear()
                except ConnectionFailed:
                    await self._drop()
                    lost += 1
                    # Nobody knows whether a question was heard of which nothing has come yet.
                    if not self._is_begun or lost > REOPENED:
                        self._is_open = False
                        raise
                    await anyio.sleep(0.1 * 2**lost)
        finally:
            self._is_heard = False

    async def _end(self) -> None:
        """Hears the question before to its end, of which somebody has left."""
        try:
            async for _ in self.events():
                pass
        except (ChatRefused, ConnectionFailed):
            # It has no end, and the next one is asked all the same.
            await self._drop()

    async def _take_up(self) -> None:
        if self.conversation is None or not self._is_begun:
            raise ConnectionFailed("no question is under way that could be taken up; ask one")
        history = await self._resume(self.conversation, self._seen)
        if not history.follows:
            self._is_begun = False
            raise ConnectionFailed("the gateway has forgotten the question; ask it again")
        if self._is_cancelled:
            await self._say({"type": "cancel"})

    def _event(self, told: dict[str, Any]) -> AskEvent:
        """The event of a message, and how many there were."""
        conversation, number = told.get("conversation"), told.get("seq")
        if not isinstance(conversation, str) or not isinstance(number, int):
            raise UnexpectedAnswer(f"a message `{told['type']}` of the chat has no `conversation` and no number `seq`")
        self.conversation, self._seen, self._is_begun = conversation, number + 1, True
        return chat_event_of(told)

    async def _begin(self, message: dict[str, Any]) -> None:
        """Says what nobody has heard before, also where the line was lost while nobody used it."""
        was_open = self._line is not None
        try:
            await self._say(message)
        except ConnectionFailed:
            await self._drop()
            if not was_open:
                raise
            await self._say(message)

    async def _say_still(self, message: dict[str, Any]) -> None:
        """Says what means nothing over another line than the one that is there."""
        if self._line is None:
            raise ConnectionFailed("this end has hung up")
        await self._say(message)

    async def _say(self, message: dict[str, Any]) -> None:
        line = await self._open()
        with _wire.told_by_websockets():
            await line.send(json.dumps(message))

    async def _hear(self) -> dict[str, Any]:
        line = await self._open()
        with _wire.told_by_websockets():
            return chat_message_of(await line.recv())

    async def _open(self) -> ClientConnection:
        if self._line is None:
            self._line = await self._transport.line("/ws/chat")
        return self._line

    async def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()
