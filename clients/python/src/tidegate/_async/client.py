"""The client: one object for a gateway, with its parts as attributes."""

from __future__ import annotations

from datetime import datetime
from types import TracebackType
from typing import Any, Unpack

import httpx

from tidegate import _wire, models
from tidegate._async.chat import AsyncChat
from tidegate._async.parts import (
    AsyncApprovals,
    AsyncConversations,
    AsyncFiles,
    AsyncRuns,
    AsyncServers,
    AsyncSessions,
    AsyncTools,
)
from tidegate._async.skills import AsyncSkills
from tidegate._async.transport import AsyncEvents, AsyncSteps, AsyncTransport
from tidegate._read import read
from tidegate._wire import Ask, Patience, of
from tidegate.models import (
    Accepted,
    Analysis,
    AnalysisOptions,
    AnalysisType,
    Answer,
    AskOptions,
    Execute,
    ExecuteOptions,
    Health,
    Run,
    SecurityReport,
    Stats,
    Validate,
    Validated,
    ValidateOptions,
)

__all__ = ["AsyncTidegate"]


class AsyncTidegate:
    """A gateway at an address.

    `timeout` is how many seconds an answer may take that waits for no program, `run_timeout` one that does; a program
    that may take longer by its own `timeout` is waited for. With `retries`, requests that the gateway cannot take now
    (429, or 503 with `Retry-After`) are sent again when it says, unless that is more than `longest_wait` seconds away;
    nothing was done about them before. `http` is a client of yours to use, with its proxies and certificates; you
    close it.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8030",
        *,
        token: str | None = None,
        timeout: float = 60.0,
        run_timeout: float = 600.0,
        retries: int = 0,
        longest_wait: float = 60.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        patience = Patience(timeout, run_timeout, retries, longest_wait)
        self._transport = AsyncTransport(url, token, patience, http)
        self.runs = AsyncRuns(self._transport)
        """Runs that are under way or over."""
        self.sessions = AsyncSessions(self._transport)
        """What one program leaves for the next."""
        self.files = AsyncFiles(self._transport)
        """The files of sessions."""
        self.approvals = AsyncApprovals(self._transport)
        """Calls that somebody has to approve."""
        self.tools = AsyncTools(self._transport)
        """What programs can call."""
        self.servers = AsyncServers(self._transport)
        """Who offers the tools."""
        self.skills = AsyncSkills(self._transport)
        """Functions that programs keep and import."""
        self.conversations = AsyncConversations(self._transport)
        """What was asked and answered, and what it used."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transport!r})"

    async def __aenter__(self) -> AsyncTidegate:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._transport.aclose()

    async def execute(self, code: str, **options: Unpack[ExecuteOptions]) -> Run:
        """Runs a program and waits for its end; hanging up before cancels it.

        A program that fails is an answer too: `success` is false and `error` says why. One that somebody has to
        approve calls of comes back before its end, with the status `waiting`: see `approvals`, then `runs.wait`.
        """
        body: Execute = {"code": code, **options}
        answer = await self._transport.send(Ask("POST", "/api/v1/execute", _ran, json=body, is_run=True))
        return answer if isinstance(answer, Run) else await self.runs.read(answer.run_id)

    def stream(self, code: str, **options: Unpack[ExecuteOptions]) -> AsyncEvents:
        """Runs a program and tells what happens in it; closing before its end cancels it."""
        body: Execute = {"code": code, **options}
        ask = Ask("POST", "/api/v1/execute", _wire.nothing, params={"stream": True}, json=body)
        return AsyncEvents(self._transport, ask, can_reopen=False)

    async def start(self, code: str, **options: Unpack[ExecuteOptions]) -> Accepted:
        """Starts a program that runs by itself; `runs.wait`, `runs.follow` and `runs.read` come back for it."""
        body: Execute = {"code": code, **options}
        ask = Ask("POST", "/api/v1/execute", of(Accepted), params={"async": True}, json=body)
        return await self._transport.send(ask)

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        """Asks a question in words and waits for the answer; hanging up before cancels it.

        `context` gives programs variables that no model sees; `schema` or `template` give the answer a form. A question
        that is not answered raises `ApiError`, whose `code` says why: `budget_exceeded`, `model_refused` and others.
        """
        body: models.Ask = {"question": question, **options}
        return await self._transport.send(Ask("POST", "/api/v1/ask", of(Answer), json=body, is_run=True))

    def ask_stream(self, question: str, **options: Unpack[AskOptions]) -> AsyncSteps:
        """Asks, and tells each step and each word as they come; closing before the end cancels the question."""
        body: models.Ask = {"question": question, **options}
        ask = Ask("POST", "/api/v1/ask", _wire.nothing, params={"stream": True}, json=body)
        return AsyncSteps(self._transport, ask, can_reopen=False)

    def chat(self, conversation: str | None = None) -> AsyncChat:
        """A conversation over one connection, for questions one after the other: `async with gate.chat() as chat`.

        Needs the package websockets: `tidegate[chat]`.
        """
        return AsyncChat(self._transport, conversation)

    async def analyze(self, analysis_type: AnalysisType, data: Any, **options: Unpack[AnalysisOptions]) -> Run:
        """Filters, groups, reshapes, validates or describes rows without a program."""
        body: Analysis = {"analysis_type": analysis_type, "data": data, **options}
        return await self._transport.send(Ask("POST", "/api/v1/analysis", of(Run), json=body, is_run=True))

    async def validate(self, code: str, **options: Unpack[ValidateOptions]) -> Validated:
        """Says what a program could do, without running it."""
        body: Validate = {"code": code, **options}
        return await self._transport.send(Ask("POST", "/api/v1/validate", of(Validated), json=body))

    async def stats(self, session: str | None = None) -> Stats:
        """What runs cost and saved."""
        return await self._transport.send(Ask("GET", "/api/v1/stats", of(Stats), params={"session": session}))

    async def security_report(self, since: datetime | None = None, until: datetime | None = None) -> SecurityReport:
        """What was refused and what met a limit; for administrators."""
        params = {"since": since, "until": until}
        return await self._transport.send(Ask("GET", "/api/v1/security/report", of(SecurityReport), params=params))

    async def health(self) -> Health:
        """Whether the gateway answers."""
        return await self._transport.send(Ask("GET", "/health", of(Health)))

    async def ready(self) -> Health:
        """Whether programs can run (`status` is `ready` or `degraded`), and how the servers are doing."""
        return await self._transport.send(Ask("GET", "/health/ready", of(Health), check=_wire.told_health))

    async def metrics(self) -> str:
        """Figures in the text format of Prometheus."""
        return await self._transport.send(Ask("GET", "/metrics", lambda response: response.text))

    async def request(
        self, method: str, path: str, *, params: dict[str, object] | None = None, json: object = None
    ) -> Any:
        """Asks for something that has no method here, and reads its JSON: `request("GET", "/api/v1/tools")`."""
        if not path.startswith("/"):
            raise ValueError("a path begins with /")

        def reading(response: httpx.Response) -> Any:
            return _wire.json_of(response) if response.content else None

        return await self._transport.send(Ask(method, path, reading, params=params or {}, json=json))


def _ran(response: httpx.Response) -> Run | Accepted:
    answer = _wire.json_of(response)
    return read(Accepted, answer) if response.status_code == httpx.codes.ACCEPTED else read(Run, answer)
