"""One call of a tool: made by calling a function, sent when it is awaited or used.

    NEW ──awaited, scheduled or used──► SENT ──answered──► DONE or FAILED

Making a call sends nothing. `await` sends it and gives its result; so does a task. A call
that is used as if it were its result (`devices["count"]`) waits for it there and then, if
the host allows that, and behaves like the result from then on. If the host does not, the
program gets `MissingAwait`, which names the line to change, before anything was sent.

A call that nobody can await any more was forgotten. It is sent before the next one is, so
that calls leave in the order in which the program made them, or at the program's end.

Only this class knows that a value may be missing; what it stands for is in `_value`.
"""

import copy
import operator
import sys
from collections.abc import Coroutine

from _tidegate import failures, forgotten, returned, values
from _tidegate.content import value_of

NEW, SENT, DONE, FAILED = range(4)
# Letters of a call's arguments that an error repeats.
_MOST_SENT = 300

_frame = sys._getframe

# Calls nobody has sent, by identity. Most are sent at once, so it is nearly always empty.
unsent = {}

# Forgotten calls that are on their way, by identity: others wait until they have been answered.
_overdue = {}

# Set by the runtime: `ask(name, text)` makes a call, `forget(id, name)` takes one back,
# `hold(future)` waits inside a plain function, `tell(text)` says something to whoever wrote it.
_ask = _forget = _hold = _tell = None


def connect(ask, forget, hold, tell):
    """Gives calls their way to the host."""
    global _ask, _forget, _hold, _tell
    _ask, _forget, _hold, _tell = ask, forget, hold, tell


class What:
    """What is called, shared by all calls of one function."""

    __slots__ = ("check", "function", "host_name", "server", "tool")

    def __init__(self, function, host_name, server=None, tool=None, check=None):
        self.function = function
        self.host_name = host_name  # as JSON text
        self.server = server
        self.tool = tool
        self.check = check


class ToolCall:
    """A call of a tool. Write `await` before it."""

    __slots__ = ("__weakref__", "_at", "_code", "_id", "_state", "_steps", "_text", "_value", "_what")

    def __init__(self, what, text, frame):
        self._what = what
        self._text = text
        # Where it was made, for messages; the line is worked out only when one is needed.
        self._code = frame.f_code
        self._at = frame.f_lasti
        self._state = NEW
        self._steps = None
        unsent[id(self)] = self

    # --- awaiting -----------------------------------------------------------------

    def __await__(self):
        if self._state == NEW:
            if _overdue or len(unsent) > 1:
                yield from _first(self)
        if self._state == NEW:
            self._send()
        if self._state == SENT:
            future = self._value
            try:
                yield from future
            except failures.ToolError:
                pass  # Taken from the future below.
            except BaseException:
                self._withdraw()
                raise
            self._conclude(future)
        return self._result()

    def _send(self):
        unsent.pop(id(self), None)
        self._state = SENT
        self._id, answer = _ask(self._what.host_name, self._text)
        if self._id:
            self._value = answer
            return
        ok, value = answer
        if ok:
            self._succeed(value)
        else:
            self._fail(failures.failure(value))

    def _conclude(self, future):
        if self._state != SENT:
            return  # Somebody else who awaited it was first.
        error = future.exception()
        if error is None:
            self._succeed(future.result())
        else:
            self._fail(error)

    def _succeed(self, answer):
        self._text = None
        try:
            value = value_of(answer)
            check = self._what.check
            self._value = value if check is None else check(value)
            self._state = DONE
            if self._what.tool is not None:
                returned.note(self._what.function, value)
        except failures.ToolError as error:
            self._fail(error)

    def _fail(self, error):
        what = self._what
        if type(error.server) is type(None):
            error.server, error.tool = what.server, what.tool
            error.sent = self._text and self._text.partition('"arguments":')[2][:-1][:_MOST_SENT]
        self._text = None
        self._value = error
        self._state = FAILED

    def _withdraw(self):
        if self._state == SENT:
            _forget(self._id, self._what.host_name)
            self._fail(
                failures.ToolError(
                    f"this call of {self._what.function}() was cancelled before its answer came; call it again",
                    "Cancelled",
                )
            )

    def _result(self):
        if self._state == DONE:
            return self._value
        raise self._value.with_traceback(None)

    # --- being a coroutine, for whoever insists on one ------------------------------

    def send(self, value):
        """One step, as of a coroutine."""
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error):
        """Raises inside the wait, as in a coroutine."""
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self):
        """Gives up the wait."""
        if self._steps is not None:
            self._steps.close()

    # --- being used as the result ---------------------------------------------------

    def _settle(self):
        """The result, waited for where we are."""
        if self._state == NEW:
            if _overdue or len(unsent) > 1:
                for call in [*_overdue.values(), *forgotten_before(self)]:
                    call._settle()
            self._send()
            if self._state == SENT:
                self._wait(self._back)
        elif self._state == SENT:
            self._wait(None)
        return self._result()

    def _wait(self, back):
        future = self._value
        try:
            _hold(future)
        except failures.CannotHold:
            if back is not None:
                back()
            raise failures.MissingAwait(forgotten.advice(self)) from None
        except failures.ToolError:
            pass
        except BaseException:
            self._withdraw()
            raise
        self._conclude(future)

    def _back(self):
        """Nothing was sent after all, so the call can still be awaited."""
        _forget(self._id, self._what.host_name)
        self._state = NEW
        unsent[id(self)] = self

    def __getattr__(self, name):
        if name.startswith("_") and self._state != DONE:
            # Libraries probe for these; only a result could have them.
            raise AttributeError(f"'ToolCall' object has no attribute {name!r}", name=name, obj=self)
        return getattr(self._settle(), name)

    def __str__(self):
        if _frame(1).f_globals.get("__name__") == "json.encoder":
            # `default=str`: the text would not be the JSON that is wanted.
            raise failures.MissingAwait(forgotten.advice(self))
        return str(self._settle())

    def __repr__(self):
        if self._state == DONE:
            return repr(self._value)
        return f"<call of {self._what.function}, not awaited>" if self._state == NEW else f"<call of {self._what.function}>"

    def __array__(self, dtype=None, copy=None):
        return sys.modules["numpy"].asarray(self._settle(), dtype=dtype)

    def __hash__(self):
        # As a key the program means the result; asyncio means the call.
        frame = _frame(1)
        if frame.f_globals.get("__name__") == "__main__":
            if self._state == DONE:
                return hash(self._value)
            if self._state == NEW and frame.f_code.co_flags & _OF_FUNCTIONS == _PLAIN:
                return hash(self._settle())
        return object.__hash__(self)

    def __reduce_ex__(self, protocol):
        return _same, (self._settle(),)

    def __deepcopy__(self, memo):
        return copy.deepcopy(self._settle(), memo)

    def __copy__(self):
        return copy.copy(self._settle())

    def _kind(self):
        if self._state == DONE:
            return type(self._value)
        if self._state == NEW and _frame(1).f_globals.get("__name__", "").partition(".")[0] in _READERS:
            # They go by the type: a frame of a list is another than one of a dict.
            return type(self._settle())
        return ToolCall

    __class__ = property(_kind)


# Flags of code: a function, and one that can await.
_PLAIN = 0x1
_OF_FUNCTIONS = 0x1 | 0x80 | 0x200

# Libraries that look at the type of a value to decide how to read it.
_READERS = frozenset(("__main__", "numpy", "pandas"))

Coroutine.register(ToolCall)


def _same(value):
    """What a pickled call is restored with."""
    return value


def _forward(function):
    return lambda self, *rest: function(self._settle(), *rest)


def _forward_swapped(function):
    return lambda self, other: function(other, self._settle())


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "matmul", "lshift", "rshift"):
    _function = getattr(operator, f"__{_name}__")
    setattr(ToolCall, f"__{_name}__", _forward(_function))
    setattr(ToolCall, f"__r{_name}__", _forward_swapped(_function))
for _name in (
    "getitem", "setitem", "delitem", "contains", "eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "index",
):
    setattr(ToolCall, f"__{_name}__", _forward(getattr(operator, f"__{_name}__")))
for _name, _function in (
    ("iter", iter), ("len", len), ("bool", bool), ("int", int), ("float", float), ("complex", complex),
    ("round", round), ("format", format), ("reversed", reversed), ("bytes", bytes), ("pow", pow), ("divmod", divmod),
):
    setattr(ToolCall, f"__{_name}__", _forward(_function))
ToolCall.__rpow__ = _forward_swapped(pow)
ToolCall.__module__ = "tidegate"


def forgotten_before(call):
    """The calls made before one, or all, that nobody can await any more, in their order."""
    found = []
    for one in list(unsent):
        if unsent[one] is call:
            break
        # Only `unsent` holds it, and for the moment this question.
        if sys.getrefcount(unsent[one]) <= 2:
            found.append(unsent[one])
    if found:
        _tell("\n".join(forgotten.sent_lines(found, call is None)))
    return found


def forget_all():
    """Lets go of what a program that has ended left unsent."""
    unsent.clear()
    _overdue.clear()


def _first(call):
    """Waits for what was forgotten before a call is sent, one after another."""
    for one in forgotten_before(call):
        _overdue[id(one)] = one
    for key, one in list(_overdue.items()):
        if one is call:
            break
        try:
            yield from one.__await__()
        finally:
            _overdue.pop(key, None)


def result_of(value):
    """The value a call stands for, waited for; anything else as it is."""
    return value._settle() if type(value) is ToolCall else value


def resolved(value):
    """The value a call stands for, where that is known already."""
    while type(value) is ToolCall and value._state == DONE:
        value = value._value
    return value


def inside(value):
    """The calls in a value that have not been answered: in it, or in its lists and dicts."""
    found = []
    stack = [(value, 0)]
    met = set()
    while stack and len(met) < _MOST_LOOKED_AT:
        one, depth = stack.pop()
        kind = type(one)
        if kind is ToolCall:
            if one._state == NEW or one._state == SENT:
                found.append(one)
            continue
        if kind not in (dict, list, tuple, set) or depth > _DEEPEST or id(one) in met:
            continue
        met.add(id(one))
        stack += [(inner, depth + 1) for inner in (one.values() if kind is dict else one)]
    found.reverse()
    return found


_MOST_LOOKED_AT = 1000
_DEEPEST = 10


def _crossing(call):
    """What values.py sends for a call: its result, or words for one that was never awaited."""
    if call._state == DONE:
        return call._value
    return {"$type": "ToolCall", "repr": repr(call)}


values.adopt(ToolCall, _crossing)
