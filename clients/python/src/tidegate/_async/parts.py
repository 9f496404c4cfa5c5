"""The parts of the client: runs, sessions, files, approvals, tools, servers and conversations."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Literal, Unpack

from tidegate import _wire, models
from tidegate._async.transport import AsyncEvents, AsyncTransport
from tidegate._wire import Ask, file_path, of, segment
from tidegate.errors import ConnectionFailed
from tidegate.events import Ended
from tidegate.models import (
    Added,
    AllTools,
    Answered,
    Approval,
    ApprovalAnswer,
    ApprovalAnswerOptions,
    ApprovalDecision,
    Cancelled,
    Conversation,
    ConversationHeading,
    DetailLevel,
    File,
    FoundTools,
    NewForkOptions,
    NewServer,
    NewServerOptions,
    NewSession,
    ResultPage,
    Run,
    RunStatus,
    RunSummary,
    Server,
    ServerTools,
    Session,
    Tool,
)


class _Part:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transport!r})"


class AsyncRuns(_Part):
    """Runs that are under way or over."""

    async def page(
        self,
        *,
        session: str | None = None,
        status: RunStatus | None = None,
        limit: int | None = None,
        before: datetime | None = None,
    ) -> models.Runs:
        """Runs, the latest first; `next_before` leads to earlier ones."""
        params = {"session": session, "status": status, "limit": limit, "before": before}
        return await self._transport.send(Ask("GET", "/api/v1/runs", of(models.Runs), params=params))

    async def list(
        self, *, session: str | None = None, status: RunStatus | None = None, page_size: int = 50
    ) -> AsyncIterator[RunSummary]:
        """Every run, the latest first, asked for page by page as they are wanted."""
        before: datetime | None = None
        while True:
            page = await self.page(session=session, status=status, limit=page_size, before=before)
            for run in page.runs:
                yield run
            if page.next_before is None or page.next_before == before:
                return
            before = page.next_before

    async def read(self, run_id: str) -> Run:
        """One run, with its source and all of its value."""
        return await self._transport.send(Ask("GET", _run(run_id), of(Run)))

    def follow(self, run_id: str) -> AsyncEvents:
        """What happens in a run. A connection that is cut is made again, and nothing is missed or told twice."""
        ask = Ask("GET", f"{_run(run_id)}/events", _wire.nothing)
        return AsyncEvents(self._transport, ask, can_reopen=True)

    async def wait(self, run_id: str) -> Run:
        """The run when it has ended, however long that takes."""
        async with self.follow(run_id) as events:
            async for event in events:
                if isinstance(event, Ended):
                    return event.run
        raise ConnectionFailed("the stream ended before the run did")

    async def cancel(self, run_id: str) -> Cancelled:
        """Ends a run."""
        return await self._transport.send(Ask("POST", f"{_run(run_id)}/cancel", of(Cancelled)))

    async def result(
        self,
        run_id: str,
        *,
        of_: Literal["value", "stdout", "stderr", "error"] | None = None,
        pointer: str | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> ResultPage:
        """A part of what a run returned or printed, also where its answer was cut."""
        params = {"of": of_, "pointer": pointer, "offset": offset, "limit": limit}
        return await self._transport.send(Ask("GET", f"{_run(run_id)}/result", of(ResultPage), params=params))

    async def artifact(self, run_id: str, name: str) -> bytes:
        """The content of a file that a run produced."""
        return await self._transport.send(Ask("GET", f"{_run(run_id)}/artifacts/{segment(name)}", _wire.content))

    async def take_out(self, run_id: str) -> bytes:
        """Takes a run that waits out of this gateway, to go on in another."""
        return await self._transport.send(Ask("POST", f"{_run(run_id)}/export", _wire.content))

    async def put_in(self, exported: bytes, *, again: bool = False) -> Run:
        """Goes on with a run that another gateway exported; with `again`, with one that left from here."""
        ask = Ask(
            "POST",
            "/api/v1/runs/import",
            of(Run),
            params={"again": again or None},
            content=exported,
            headers=_wire.BYTES,
        )
        return await self._transport.send(ask)


class AsyncSessions(_Part):
    """What one program leaves for the next."""

    async def list(self) -> builtins.list[Session]:
        """One's sessions, the last used first."""
        return (await self._transport.send(Ask("GET", "/api/v1/sessions", of(models.Sessions)))).sessions

    async def create(self, **options: Unpack[NewSession]) -> Session:
        """Makes a session."""
        return await self._transport.send(Ask("POST", "/api/v1/sessions", of(Session), json=dict(options)))

    async def read(self, session: str) -> Session:
        """One session."""
        return await self._transport.send(Ask("GET", _session(session), of(Session)))

    async def remove(self, session: str) -> None:
        """Removes a session with its state and its files."""
        await self._transport.send(Ask("DELETE", _session(session), _wire.nothing))

    async def fork(self, session: str, **options: Unpack[NewForkOptions]) -> Session:
        """Makes a second session that starts from where this one is."""
        body: models.NewFork = {**options}
        return await self._transport.send(Ask("POST", f"{_session(session)}/fork", of(Session), json=body))

    async def freeze(self, session: str) -> Session:
        """Writes a session to disk; its next use brings it back."""
        return await self._transport.send(Ask("POST", f"{_session(session)}/freeze", of(Session)))

    async def export(self, session: str) -> bytes:
        """Everything a session is."""
        return await self._transport.send(Ask("GET", f"{_session(session)}/export", _wire.content))

    async def put_in(self, exported: bytes) -> Session:
        """A new session that goes on from one that was exported."""
        ask = Ask("POST", "/api/v1/sessions/import", of(Session), content=exported, headers=_wire.BYTES)
        return await self._transport.send(ask)


class AsyncFiles(_Part):
    """The files of sessions. Paths are those below `/workspace`."""

    async def list(self, session: str) -> builtins.list[File]:
        """A session's files."""
        return (await self._transport.send(Ask("GET", f"{_session(session)}/files", of(models.Files)))).files

    async def upload(self, session: str, path: str, content: bytes | str) -> None:
        """Puts a file there, in place of one that may be there. Text is written as UTF-8."""
        sent = content.encode() if isinstance(content, str) else content
        await self._transport.send(Ask("PUT", _file(session, path), _wire.nothing, content=sent, headers=_wire.BYTES))

    async def download(self, session: str, path: str) -> bytes:
        """The content of a file."""
        return await self._transport.send(Ask("GET", _file(session, path), _wire.content))

    async def remove(self, session: str, path: str) -> None:
        """Takes a file away."""
        await self._transport.send(Ask("DELETE", _file(session, path), _wire.nothing))


class AsyncApprovals(_Part):
    """Calls that somebody has to approve. Answers need a token with the scope `approve`."""

    async def list(self, run_id: str | None = None) -> builtins.list[Approval]:
        """What waits, one question for each tool of each run."""
        ask = Ask("GET", "/api/v1/approvals", of(models.Approvals), params={"run": run_id})
        return (await self._transport.send(ask)).approvals

    async def approve(self, run_id: str, **options: Unpack[ApprovalAnswerOptions]) -> Answered:
        """Lets a run make its calls: all that wait, or `items`, or those of `tool`."""
        return await self.answer(run_id, "approve", **options)

    async def deny(self, run_id: str, **options: Unpack[ApprovalAnswerOptions]) -> Answered:
        """Refuses calls of a run, with a `reason` for the program."""
        return await self.answer(run_id, "deny", **options)

    async def answer(
        self, run_id: str, decision: ApprovalDecision, **options: Unpack[ApprovalAnswerOptions]
    ) -> Answered:
        """Answers calls of a run that wait."""
        body: ApprovalAnswer = {"decision": decision, **options}
        return await self._transport.send(Ask("POST", f"/api/v1/approvals/{segment(run_id)}", of(Answered), json=body))


class AsyncTools(_Part):
    """What programs can call."""

    async def search(
        self,
        query: str = "",
        *,
        detail_level: DetailLevel | None = None,
        limit: int | None = None,
        server: str | None = None,
    ) -> FoundTools:
        """Finds tools by a few words, a name or a task; all of them if the query is empty."""
        params = {"query": query, "detail_level": detail_level, "limit": limit, "server": server}
        return await self._transport.send(Ask("GET", "/api/v1/mcp/tools/search", of(FoundTools), params=params))

    async def list(self) -> builtins.list[ServerTools]:
        """Every tool, by server."""
        return (await self._transport.send(Ask("GET", "/api/v1/tools", of(AllTools)))).servers

    async def read(self, server: str, tool: str) -> Tool:
        """All about one tool."""
        return await self._transport.send(Ask("GET", f"/api/v1/tools/{segment(server)}/{segment(tool)}", of(Tool)))


class AsyncServers(_Part):
    """Who offers the tools."""

    async def list(self) -> builtins.list[Server]:
        """How every server is doing."""
        return (await self._transport.send(Ask("GET", "/api/v1/servers", of(models.Servers)))).servers

    async def add(self, name: str, **options: Unpack[NewServerOptions]) -> Added:
        """Adds a server until the gateway ends; for administrators."""
        body: NewServer = {"name": name, **options}
        return await self._transport.send(Ask("POST", "/api/v1/servers", of(Added), json=body))

    async def remove(self, name: str) -> None:
        """Removes a server; for administrators."""
        await self._transport.send(Ask("DELETE", f"/api/v1/servers/{segment(name)}", _wire.nothing))


class AsyncConversations(_Part):
    """What was asked and answered, and what it used. Conversations begin and go on with `ask`."""

    async def list(self) -> builtins.list[ConversationHeading]:
        """One's conversations, the last used first."""
        ask = Ask("GET", "/api/v1/conversations", of(models.Conversations))
        return (await self._transport.send(ask)).conversations

    async def read(self, conversation: str) -> Conversation:
        """One conversation, with its turns and what all of it used."""
        ask = Ask("GET", f"/api/v1/conversations/{segment(conversation)}", of(Conversation))
        return await self._transport.send(ask)


def _run(run_id: str) -> str:
    return f"/api/v1/runs/{segment(run_id)}"


def _session(session: str) -> str:
    return f"/api/v1/sessions/{segment(session)}"


def _file(session: str, path: str) -> str:
    return f"{_session(session)}/files/{file_path(path)}"
