"""What goes wrong with a tool call, as exceptions a program can catch.

All of them are `ToolError`, so `except ToolError` is enough; the subclasses say whose
fault it was. `MissingAwait` is none of them: no call was made.
"""


class ToolError(Exception):
    """A host call failed; `kind` says in what way, the message what to do."""

    def __init__(self, message, kind="ToolError", server=None, tool=None):
        super().__init__(message)
        self.kind = kind
        self.server = server
        self.tool = tool
        self.sent = None  # the arguments of a call that reached its server, as text


class ArgumentError(ToolError, TypeError):
    """The arguments are not those the tool takes. Nothing was sent to its server."""

    def __init__(self, message, kind="ArgumentError", server=None, tool=None):
        super().__init__(message, kind, server, tool)


class UnknownTool(ToolError, LookupError):
    """No server has a tool of that name, or several have."""

    def __init__(self, message, kind="UnknownTool", server=None, tool=None):
        super().__init__(message, kind, server, tool)


class ServerError(ToolError):
    """The server did not answer: not connected, not logged in, or too slow."""

    def __init__(self, message, kind="ServerError", server=None, tool=None):
        super().__init__(message, kind, server, tool)


class PolicyError(ToolError, PermissionError):
    """A rule of the operator's forbids the call, or nobody approved it. Nothing was sent."""

    def __init__(self, message, kind="Denied", server=None, tool=None):
        super().__init__(message, kind, server, tool)


class LateError(ToolError, TimeoutError):
    """Nothing came in time. Nothing was taken."""

    def __init__(self, message, kind="TimedOut", server=None, tool=None):
        super().__init__(message, kind, server, tool)


class MissingAwait(TypeError):
    """The result of a tool call was used without `await`. Nothing was sent."""


class CannotHold(RuntimeError):
    """The host does not let a plain function wait for its calls."""


_KINDS = {"ArgumentError": ArgumentError, "UnknownTool": UnknownTool, "ServerError": ServerError, "NotSent": ServerError, "NotAnswered": ServerError, "Denied": PolicyError, "NotApproved": PolicyError, "NotAllowed": PolicyError, "SecretRefused": PolicyError, "TimedOut": LateError}
# Whoever reads it in a traceback knows the other one.
LateError.__name__ = LateError.__qualname__ = "TimeoutError"

# Programs know them as their own; where they are defined is nothing to show.
for _kind in (ToolError, ArgumentError, UnknownTool, ServerError, PolicyError, LateError, MissingAwait):
    _kind.__module__ = "tidegate"


def failure(answer):
    """The exception for a failed call, from what the host says about it."""
    kind = answer["kind"]
    return _KINDS.get(kind, ToolError)(answer["message"], kind)
