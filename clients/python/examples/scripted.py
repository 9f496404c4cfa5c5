"""A model that says what a test wrote down, at an address that speaks OpenAI's chat completions.

Every request is checked as that API would check it: where it goes, whose key it has, that every call of a tool was
answered, and that the tools are described. What is wrong is kept, and fails the test.
"""

from __future__ import annotations

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

KEY = "sk-scripted"
MODEL = "scripted-1"
_NUMBERS = itertools.count(1)


def call(name: str, **arguments: object) -> dict[str, Any]:
    """A message that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{next(_NUMBERS)}", "type": "function", "function": function}],
    }


def say(text: str) -> dict[str, Any]:
    """A message in words."""
    return {"role": "assistant", "content": text}


class Scripted:
    """A server that gives these replies, one for each request."""

    def __init__(self, *replies: dict[str, Any]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self._replies = list(replies)
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                status, answer = scripted.reply(self.path, self.headers.get("authorization"), body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its name there
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Scripted:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, path: str, authorization: str | None, body: bytes) -> tuple[int, dict[str, Any]]:
        """What is answered to a request; a wrong one gets 400, which nobody tries again."""
        try:
            request = json.loads(body)
            problem = _problem(path, authorization, request)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is None and not self._replies:
            problem = "a request more than there are replies"
        if problem is not None:
            self.problems.append(problem)
            return 400, {"error": {"message": problem, "type": "invalid_request_error", "param": None, "code": None}}
        self.requests.append(request)
        message = self._replies.pop(0)
        reason = "tool_calls" if "tool_calls" in message else "stop"
        return 200, {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }

    def done(self) -> list[dict[str, Any]]:
        """The requests, if each was right and no reply is left."""
        assert self.problems == []
        assert self._replies == []
        return self.requests


def _problem(path: str, authorization: str | None, request: dict[str, Any]) -> str | None:
    """What is wrong with a request."""
    if path != "/v1/chat/completions":
        return f"there is no {path}"
    if authorization != f"Bearer {KEY}":
        return "the key is another"
    if request["model"] != MODEL or request.get("stream"):
        return "another model, or a stream, was asked for"
    for one in request["tools"]:
        function = one["function"]
        if one["type"] != "function" or not function["description"] or function["parameters"]["type"] != "object":
            return f"a tool is not described: {one}"
    return _unanswered(request["messages"])


def _unanswered(messages: list[dict[str, Any]]) -> str | None:
    """What is wrong with calls and their answers."""
    if [one["role"] for one in messages[:2]] != ["system", "user"]:
        return "it does not begin with instructions and a question"
    open_calls: set[str] = set()
    for one in messages[2:]:
        if one["role"] == "tool":
            if one["tool_call_id"] not in open_calls:
                return f"nobody called {one['tool_call_id']}"
            open_calls.remove(one["tool_call_id"])
        elif open_calls:
            return f"not answered: {sorted(open_calls)}"
        else:
            open_calls = {made["id"] for made in one.get("tool_calls") or []}
    return f"not answered: {sorted(open_calls)}" if open_calls else None
