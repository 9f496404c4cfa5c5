"""Functions that call tools: what generated bindings are made with, and calls by name.

A binding has only a signature and a docstring. `@tool` gives it its behaviour: arguments
are put in place and checked for their names, and the call is made (`calls.ToolCall`), which
nobody sends before it is awaited. A wrong name raises here, in the caller's line.
"""

import difflib
import inspect
import sys

from _tidegate import calls, values
from _tidegate.calls import ToolCall, What
from _tidegate.failures import ArgumentError, ToolError

_frame = sys._getframe
_encode = values.encode
_mark = getattr(inspect, "markcoroutinefunction", lambda function: function)
_TAKES_EXTRA = 0x08
_MAX_SHOWN = 60
# The arguments themselves are one level more.
_DEEPEST = values.MAX_DEPTH - 1
_TOO_MUCH = "larger than the memory for writing it as JSON; pass less data in one call"


class _Unset:
    """Stands for a parameter that was not given, where None is a value of its own."""

    __slots__ = ()

    def __repr__(self):
        return "UNSET"

    def __bool__(self):
        return False


UNSET = _Unset()
_Unset.__module__ = "tidegate"


def tool(server, name, renamed=None):
    """Makes a function of a signature: it calls the tool `name` of `server`.

    `renamed` has the names that parameters have on the server, where they differ.
    """

    def decorate(function):
        code = function.__code__
        count = code.co_argcount
        positional = code.co_varnames[:count]
        parameters = code.co_varnames[: count + code.co_kwonlyargcount]
        defaults = dict(function.__kwdefaults__ or {})
        given = function.__defaults__ or ()
        defaults.update(zip(positional[count - len(given) :], given))
        shape = _Shape(function.__name__, server, name, positional, parameters, defaults, renamed or {})
        shape.extra = bool(code.co_flags & _TAKES_EXTRA)
        return _bound(function, shape)

    return decorate


class _Shape:
    """What a binding takes."""

    def __init__(self, function, server, tool, positional, parameters, defaults, renamed):
        self.function = function
        self.server = server
        self.tool = tool
        self.positional = positional
        self.parameters = parameters
        self.known = frozenset(parameters)
        self.required = frozenset([one for one in parameters if one not in defaults])
        # None stands for "not given" where it is the default.
        self.droppable = frozenset([one for one, default in defaults.items() if default is None])
        self.renamed = renamed
        self.originals = {original: one for one, original in renamed.items()}
        self.extra = False

    def place(self, args, given):
        """All arguments by the names of their parameters."""
        if len(args) == 1 and isinstance(args[0], dict):
            whole = self._whole(args[0], given)
            if whole is not None:
                return whole
        if len(args) > len(self.positional):
            most = len(self.positional)
            rest = [one for one in self.parameters if one not in self.positional]
            by_name = f"; give {', '.join(rest[:5])} by name" if rest else ""
            raise self.wrong(f"takes at most {most} positional argument{'s' * (most != 1)}, {len(args)} given{by_name}")
        placed = {}
        for name, value in zip(self.positional, args):
            if name in given:
                raise self.wrong(f"got {name!r} twice, by position and by name")
            placed[name] = value
        placed.update(given)
        return placed

    def _whole(self, first, given):
        """One dict that has all arguments, if that is what it is."""
        named = {self.originals.get(key, key): value for key, value in first.items()}
        fits = named.keys() <= self.known or self.extra and all(type(key) is str for key in named)
        if not fits or named.keys() & given.keys():
            return None
        named.update(given)
        if self.required <= named.keys():
            return named
        # It fits neither way: then it is more likely meant as all of them.
        alone = self.positional and self.required <= {self.positional[0], *given}
        return None if alone or not first else named

    def rename(self, placed):
        """Takes the names that the server has for parameters, too."""
        for name in [name for name in placed if name not in self.known]:
            ours = self.originals.get(name)
            if ours is not None and ours not in placed:
                placed[ours] = placed.pop(name)
            elif not self.extra:
                near = nearest(name, [*self.parameters, *self.originals])
                meant = f" (did you mean {near!r}?)" if near else ""
                raise self.wrong(f"has no parameter {name!r}{meant}")
        return placed

    def missing(self, placed):
        names = [repr(one) for one in self.parameters if one in self.required and one not in placed]
        return self.wrong(f"needs {' and '.join(names)}, which {'is' if len(names) == 1 else 'are'} missing")

    def wrong(self, problem):
        names = [one + "*" if one in self.required else one for one in self.parameters[:_MAX_SHOWN]]
        more = len(self.parameters) - len(names)
        listed = ", ".join(names) + (f" and {more} more" if more > 0 else "")
        if self.extra:
            listed = f"{listed}, **extra" if listed else "any, each by its name"
        marked = " (* required)" if self.required else ""
        takes = f"Parameters: {listed}{marked}" if listed else "It has no parameters"
        return ArgumentError(f"{self.function}() {problem}. {takes}", server=self.server, tool=self.tool)


def _bound(function, shape):
    place, rename = shape.place, shape.rename
    known, required, droppable, renamed = shape.known, shape.required, shape.droppable, shape.renamed
    extra = shape.extra
    head = f'{{"server":{_encode(shape.server)[0]},"tool":{_encode(shape.tool)[0]},"arguments":'
    what = What(shape.function, '"$call"', shape.server, shape.tool)

    def binding(*args, **given):
        if args:
            given = place(args, given)
        if not given.keys() <= known:
            given = rename(given)
        if not required <= given.keys():
            raise shape.missing(given)
        arguments = {}
        for name, value in given.items():
            if value is None and name in droppable or value is UNSET:
                continue
            arguments[renamed.get(name, name)] = value
        return ToolCall(what, f"{head}{_arguments(arguments, shape)}}}", _frame(1))

    # A module of the tool's name has its function, and this is both.
    setattr(binding, function.__name__, binding)
    binding.__name__ = function.__name__
    binding.__qualname__ = function.__qualname__
    binding.__module__ = function.__module__
    binding.__doc__ = function.__doc__
    # Signature and annotations are found through this when somebody asks.
    binding.__wrapped__ = function
    if hasattr(function, "__annotate__"):
        binding.__annotate__ = function.__annotate__
    else:
        binding.__annotations__ = function.__annotations__
    binding.__tidegate_tool__ = shape
    return _mark(binding)


def _arguments(arguments, shape=None):
    """Arguments as JSON text, or an exception that says which one is no JSON."""
    if calls.unsent:
        for call in calls.inside(arguments):
            call._settle()
    text = values.encode_arguments(arguments)
    if '"$type"' in text:
        for name, value in arguments.items():
            # As deep as it stands in the arguments.
            alone = values.encode_arguments([value])
            if values.is_beyond_memory(alone):
                raise _refused(f"argument {name!r} is {_TOO_MUCH}", shape)
            if '"$type":' in alone and not _has_type_key(value):
                raise _not_json(name, value, shape)
        if values.is_beyond_memory(text) and "$type" not in arguments:
            raise _refused(f"the arguments together are {_TOO_MUCH}", shape)
    return text


def _refused(said, shape):
    if shape is None:
        return ArgumentError(said)
    return ArgumentError(f"{shape.function}(): {said}", server=shape.server, tool=shape.tool)


def _has_type_key(value):
    """Whether the program itself wrote `$type` somewhere."""
    stack = [value]
    met = set()
    while stack:
        one = stack.pop()
        if not isinstance(one, (dict, list, tuple)) or id(one) in met:
            continue
        met.add(id(one))
        if isinstance(one, dict):
            if "$type" in one:
                return True
            stack += one.values()
        else:
            stack += one
    return False


def _holds_itself(value):
    """Whether a list or dict is somewhere within itself."""
    stack = [(value, False)]
    above, met = set(), set()
    while stack:
        one, is_left = stack.pop()
        if is_left:
            above.discard(id(one))
            continue
        if id(one) in above:
            return True
        if not isinstance(one, (dict, list, tuple)) or id(one) in met:
            continue
        met.add(id(one))
        above.add(id(one))
        stack.append((one, True))
        stack += [(inner, False) for inner in (one.values() if isinstance(one, dict) else one)]
    return False


def _is_deep(value):
    """Whether lists and dicts are nested deeper than arguments can be."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = {}
        for one in level:
            if isinstance(one, (dict, list, tuple)):
                inner.update((id(each), each) for each in (one.values() if isinstance(one, dict) else one))
        level = list(inner.values())
    return bool(level)


def _not_json(name, value, shape):
    said = None
    if _holds_itself(value):
        said = f"argument {name!r} holds itself, which JSON cannot say; give it a copy without that"
    elif _is_deep(value):
        said = f"argument {name!r} is nested too deeply: lists and dicts may be {_DEEPEST} deep; give it a flatter one, or its JSON as text"
    if said is not None:
        return _refused(said, shape)
    kind = type(value).__name__
    said = f"argument {name!r} is a {kind}" if kind not in ("dict", "list", "tuple") else f"argument {name!r} holds something"
    advice = {
        "bytes": "base64.b64encode(value).decode() makes it text",
        "DataFrame": 'value.to_dict("records") makes it a list',
        "Image": "its bytes are in .data",
        "Resource": "its bytes are in .data",
    }.get(kind, "give text, numbers, lists and dicts")
    return _refused(f"{said} that JSON does not have; {advice}", shape)


def nearest(name, candidates):
    """The candidate that was most likely meant."""
    folded = {}
    for one in candidates:
        folded.setdefault(_folded(one), one)
    same = folded.get(_folded(name))
    if same is not None:
        return same
    near = difflib.get_close_matches(_folded(name[:80]), list(folded)[:2000], 1, 0.6)
    return folded[near[0]] if near else None


def _folded(name):
    """Without what spellings differ in: `createIssue` and `create_issue` are one."""
    return name.replace("_", "").replace("-", "").lower()


# --- calls by name --------------------------------------------------------------------

_SERVER_WORDS = ("server", "server_name")
_TOOL_WORDS = ("tool", "tool_name", "name")
_ARGUMENT_WORDS = ("arguments", "args")
_TYPE_WORDS = ("result_type", "return_type")


def call_mcp_tool(*args, **given):
    """Calls a tool by name: `(tool, arguments)` or `(server, tool, arguments)`.

    Arguments are a dict, or keywords. A last positional such as `dict` says what the
    result must be.
    """
    return _by_name(args, given, _frame(1))


def callMCPTool(*args, **given):
    """The same as `call_mcp_tool`."""
    return _by_name(args, given, _frame(1))


_mark(call_mcp_tool)
_mark(callMCPTool)


def _by_name(args, given, frame):
    names = []
    rest = list(args)
    while rest and len(names) < 2 and isinstance(rest[0], str):
        names.append(rest.pop(0))
    if not names:
        # Without names in front, the keywords are those of this function.
        words = [word for word in (*_SERVER_WORDS, *_TOOL_WORDS) if type(given.get(word)) is str]
        names = [given.pop(word) for word in words[:2]]
    if not names:
        raise ArgumentError(
            "call_mcp_tool() needs the tool's name first: call_mcp_tool('server', 'tool', {...}), or 'tool' alone"
        )
    server, name = names if len(names) == 2 else (None, names[0])
    arguments = rest.pop(0) if rest and (isinstance(rest[0], dict) or rest[0] is None) else None
    check = rest.pop(0) if rest else next((given.pop(word) for word in _TYPE_WORDS if isinstance(given.get(word), type)), None)
    if arguments is None and len(given) == 1:
        word, value = next(iter(given.items()))
        if word in _ARGUMENT_WORDS and isinstance(value, dict):
            arguments, given = value, {}
    if rest or check is not None and isinstance(check, (str, int, list)):
        raise ArgumentError("call_mcp_tool() takes the names, then one dict with the arguments", server=server, tool=name)
    arguments = {**(arguments or {}), **given}
    head = f'{{"server":{_encode(server)[0]},"tool":{_encode(name)[0]},"arguments":'
    what = What("call_mcp_tool", '"$call"', server, name, _check_for(check, name))
    return ToolCall(what, f"{head}{_arguments(arguments)}}}", frame)


def _check_for(wanted, name):
    """A function that sees to it that a result is what was asked for, or None."""
    if not isinstance(wanted, type):
        return None
    if issubclass(wanted, dict):
        wanted = dict  # A TypedDict, too.
    if wanted not in (dict, list, str, int, float, bool, tuple):
        return None

    def check(value):
        if isinstance(value, wanted):
            return value
        if wanted is str:
            return _encode(value)[0]
        if wanted is tuple and isinstance(value, list):
            return tuple(value)
        if wanted in (int, float) and isinstance(value, (int, float, str)):
            try:
                return wanted(value)
            except ValueError:
                pass
        shown = repr(value)
        shown = shown if len(shown) <= 200 else shown[:200] + "..."
        raise ToolError(f"{name} answered with a {type(value).__name__}, not a {wanted.__name__}: {shown}", "ToolError")

    return check


class Listed(list):
    """What all servers list. Those that did not answer are in `.missing`, dicts with server and reason."""

    missing = ()


def _listed(function, value):
    """The list of all servers, after saying which of them are missing: who returns it does not see its attributes."""
    if type(value) is not dict or value.keys() != {"listed", "missing"}:
        return value
    made = Listed(value["listed"])
    made.missing = tuple(value["missing"])
    for one in made.missing:
        print(f"{function}(): those of {one['server']} are missing: {one['reason']}", file=sys.stderr)
    return made


def _resources_listed(value):
    return _listed("list_resources", value)


def _prompts_listed(value):
    return _listed("list_prompts", value)


def list_resources(server=None):
    """The resources of a server, or of all."""
    return _ask("list_resources", "$resources", {"server": server}, _frame(1), _resources_listed)


def read_resource(*names, server=None, uri=None):
    """One resource: `(server, uri)`, `(uri, server=...)`, or the uri alone."""
    names = [name for name in names if name is not None]
    if names and uri is None:
        uri = names.pop()
    if names and server is None:
        server = names.pop()
    if names or uri is None:
        raise TypeError("read_resource() takes a server and a uri, or the uri alone")
    return _ask("read_resource", "$resource", {"server": server, "uri": uri}, _frame(1))


def list_prompts(server=None):
    """The prompts of a server, or of all."""
    return _ask("list_prompts", "$prompts", {"server": server}, _frame(1), _prompts_listed)


def get_prompt(server, name=None, arguments=None, **given):
    """One prompt, filled in: `(server, name, arguments)`."""
    if name is None or isinstance(name, dict):
        server, name, arguments = None, server, name if arguments is None else arguments
    asked = {"server": server, "name": name, "arguments": {**(arguments or {}), **given}}
    return _ask("get_prompt", "$prompt", asked, _frame(1))


for _function in (list_resources, read_resource, list_prompts, get_prompt):
    _mark(_function)


def _ask(function, host_name, asked, frame, check=None):
    what = What(function, f'"{host_name}"', asked["server"], asked.get("name"), check)
    return ToolCall(what, _arguments(asked), frame)


# What programs find without importing anything.
PUBLIC = {
    one.__name__: one
    for one in (call_mcp_tool, callMCPTool, list_resources, read_resource, list_prompts, get_prompt)
}
for _function in (*PUBLIC.values(), tool):
    _function.__module__ = "servers"
