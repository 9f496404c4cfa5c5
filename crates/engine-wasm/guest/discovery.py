"""Finding tools: `search_tools`, and the files under /servers by path.

    search_tools("open a ticket", detail_level="full")
    list_directory("servers/")
    read_file("servers/github/create_issue.py")

All three are plain functions: the host answers a search at the door, and the files are there.
"""

import os
import sys
from types import ModuleType

from _tidegate import failures, servers, values

LEVELS = ("name_only", "with_description", "full")
STRATEGIES = ("summarize", "schema", "auto", "sample", "truncate", "none")

# Set by the runtime: `ask(name, text)` gives `[ok, value]`, or None where nobody answers.
_ask = None
# Set by the runtime: how many bytes a value may have.
_most = None


def connect(ask, most):
    """Gives searches their way to the host."""
    global _ask, _most
    _ask, _most = ask, most


class Found(list):
    """Tools, the best first. Printing it says how many there are besides, and which servers are missing."""

    total = matching = 0
    missing = ()  # servers that have not said what they offer: dicts with server, state, since, reason

    def __await__(self):
        # Nothing is to be waited for, but who thinks so is not wrong about anything else.
        return self
        yield

    def __getitem__(self, key):
        # The same search made by the client gives an object with the list in it.
        return self if type(key) is str and key == "tools" else list.__getitem__(self, key)

    def __repr__(self):
        how = "a larger limit shows more" if len(self) < 1000 else "other words or `server` show the rest"
        more = f"; {self.matching} match, {how}" if self.matching > len(self) else ""
        missing = "".join([f"; missing: {_absence(one)}" for one in self.missing])
        return f"{len(self)} of {self.total} tools{more}{missing}: {list.__repr__(self)}"


def search_tools(query="", detail_level="name_only", server=None, limit=10):
    """Finds tools by what they do. Returns a list of dicts, the best first.

    Each has `name` and `server`; with detail_level="with_description" also `description`;
    with "full" also `signature` and `input_schema`. An empty query lists all.
    """
    found = look(query, detail_level, server, limit)
    for one in found.missing:
        _tell(one)
    return found


def look(query="", detail_level="name_only", server=None, limit=10):
    """The same search for who is not the program: it prints nothing into the program's output."""
    if not isinstance(query, str):
        raise TypeError(f"search_tools(): query is words, not {type(query).__name__}")
    if detail_level not in LEVELS:
        raise ValueError(f"search_tools(): detail_level is one of {', '.join(map(repr, LEVELS))}, not {detail_level!r}")
    if type(limit) is not int or limit < 1:
        raise ValueError(f"search_tools(): limit is a number of tools from 1 on, not {limit!r}")
    limit = min(limit, 1_000_000)
    if server is not None and not isinstance(server, str):
        server = getattr(server, "__name__", server)  # A server's module will do.
        if not isinstance(server, str):
            raise TypeError("search_tools(): server is a server's name")
        server = server.rpartition(".")[2]
    asked = {"query": query, "detail_level": detail_level, "server": server, "limit": limit}
    answer = _ask('"$search"', values.encode(asked)[0])
    if answer is None:
        return Found()
    ok, value = answer
    if not ok:
        raise failures.failure(value)
    found = Found(value["tools"])
    found.matching = value["matching"]
    found.total = value["total"]
    found.missing = tuple(value.get("missing", ()))
    return found


# Servers of which this program was told already.
_told = set()


def begin():
    """A program begins, and has been told nothing."""
    _told.clear()


def _tell(missing):
    """Says once in a program whose tools no search finds: who returns the list does not see its attributes."""
    if missing["server"] not in _told:
        _told.add(missing["server"])
        print(f"search_tools(): the tools of {missing['server']} are missing: {_absence(missing)}", file=sys.stderr)


def _absence(missing):
    """A server that has not said what it offers, in words."""
    server, since = missing["server"], missing["since"]
    reason = missing.get("reason")
    if missing["state"] == "connecting":
        return f"{server} has not answered yet (asked at {since}); a later program may find it"
    if missing["state"] == "wants_login":
        return f"{server} cannot be used before somebody has logged in: {reason}"
    return f"{server} does not answer since {since} and cannot be used: {reason or 'no more is known'}"


def summarize(value, strategy="summarize", max_tokens=500):
    """A value in few tokens: counts, shapes and figures instead of rows.

    strategy: "summarize", "schema" (fields and types), "auto" (as much as fits), "sample" (rows from
    everywhere), "truncate" (the beginning), "none" (the value as it is).
    """
    if strategy == "none":
        return value
    if strategy not in STRATEGIES:
        raise ValueError(f"summarize(): strategy is one of {', '.join(map(repr, STRATEGIES))}, not {strategy!r}")
    if type(max_tokens) is not int or max_tokens < 50:
        raise ValueError(f"summarize(): max_tokens is a number from 50 on, not {max_tokens!r}")
    head = f'{{"strategy":"{strategy}","max_tokens":{max_tokens},"value":'
    text, too_large = values.encode(value, _most())
    if too_large:
        raise ValueError(f"summarize(): this value is longer than {_most()} bytes as JSON; summarize parts of it")
    answer = _ask('"$summarize"', head + text + "}")
    if answer is None:
        raise RuntimeError("summarize() is not available here")
    ok, value = answer
    if not ok:
        raise failures.failure(value)
    return value


def list_directory(path="servers/"):
    """The names in a folder: servers in "servers/", their tools in "servers/github/"."""
    try:
        place = _as_spelt(_place(path))
        names = os.listdir(place)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no folder {path!r}; list_directory('servers/') lists the servers") from None
    except NotADirectoryError:
        raise NotADirectoryError(f"{path!r} is a file; read_file({path!r}) reads it") from None
    if place == servers.ROOT:
        names = [name for name in names if not name.startswith(".")]
        for server, why in servers.missing().items():
            if server not in _told:
                _told.add(server)
                print(f"list_directory(): {server} is missing: {why}", file=sys.stderr)
    return sorted([name + "/" if os.path.isdir(f"{place}/{name}") else name for name in names])


def read_file(path):
    """The text of a file: "servers/github/create_issue.py", or one of /workspace."""
    try:
        with open(_as_spelt(_place(path)), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        folder = os.path.dirname(os.fspath(path)) or "servers/"
        raise FileNotFoundError(f"there is no file {path!r}; list_directory({folder!r}) lists what there is") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path!r} is a folder; list_directory({path!r}) lists it") from None


def _place(path):
    """`servers/...` and `skills/...` are at the root, everything else where programs work."""
    path = os.fspath(path).strip() or "servers"
    relative = path.removeprefix("./").removeprefix("/").rstrip("/")
    if relative == "servers" or relative.startswith("servers/"):
        return servers.ROOT + relative.removeprefix("servers")
    if relative == "skills" or relative.startswith("skills/"):
        return "/" + relative
    if path.startswith("/"):
        return path.rstrip("/") or "/"
    return "/workspace/" + relative


def _as_spelt(place):
    """A path below /servers as it is written there: `my-server/createIssue.ts` is `my_server/create_issue.py`."""
    if not place.startswith(servers.ROOT + "/") or os.path.exists(place):
        return place
    found = servers.ROOT
    for part in place.removeprefix(servers.ROOT + "/").split("/"):
        wanted = _letters(part)
        names = [name for name in os.listdir(found) if _letters(name) == wanted] if os.path.isdir(found) else []
        if len(names) != 1:
            return place
        found = f"{found}/{names[0]}"
    return found


def _letters(name):
    """What is left of a name when only its letters and digits count."""
    stem = name.removesuffix(".py").removesuffix(".ts").removesuffix(".js")
    return "".join([letter for letter in stem.lower() if letter.isalnum()])


# What programs find without importing anything.
PUBLIC = {one.__name__: one for one in (search_tools, summarize, list_directory, read_file)}


def install():
    """Makes `from tool_discovery import search_tools` work."""
    module = ModuleType("tool_discovery", "Finding tools: `search_tools(...)`.")
    for name, function in PUBLIC.items():
        function.__module__ = "tool_discovery"
        module.__dict__[name] = function
    module.__all__ = list(PUBLIC)
    sys.modules["tool_discovery"] = module
