"""What to try after an exception: one or two sentences, or nothing.

Programs are written by models that do not see the sandbox, so most hints say what it
does not have and what to use instead. A hint is only given when it is likely right;
whatever goes wrong while looking for one is the caller's to ignore.
"""

import ast
import builtins
import errno
import re
import sys
from itertools import islice
from os import listdir as _listdir

from _tidegate import calls, columns, failures, forgotten, looks, returned, servers

NO_NETWORK = "There is no network in the sandbox; call a tool instead: search_tools('what you need') finds one."
NO_PROCESSES = "There are no processes in the sandbox; do it in Python, or call a tool: search_tools('what you need') finds one."
NO_THREADS = "There are no threads in the sandbox; use async functions and `await asyncio.gather(...)`."
_AWAIT = "Use `await` on the call: it returns a coroutine."
_NO_RUN = "A loop is already running: write `await main()` at the top level, and make the functions on the way to it async."
_FILES = "Files live in /workspace; nothing else can be written, and little else read."
_USERS = " The user's own files are not here: a tool may read them, search_tools('read file') finds it; or pass the data as `context`."
AVAILABLE = "numpy, pandas, scipy, sklearn, statsmodels, matplotlib, sympy, lxml, bs4, yaml, openpyxl, sqlite3 and the standard library"

_NETWORK_MODULES = frozenset(
    "requests httpx aiohttp urllib3 boto3 botocore openai anthropic websockets websocket paramiko grpc redis"
    " psycopg2 psycopg pymongo pymysql selenium playwright scrapy slack_sdk github stripe tweepy pycurl"
    " _socket _ssl".split()
)
_PROCESS_MODULES = frozenset("_posixsubprocess _multiprocessing _posixshmem pexpect psutil sh pty".split())
_PROCESS_NAMES = frozenset(
    "fork forkpty system popen spawnv spawnl spawnve posix_spawn execv execve execl execvp kill wait waitpid".split()
)
_NETWORK_FILES = ("/urllib/request.py", "/http/client.py", "/socket.py", "/ssl.py", "/smtplib.py", "/ftplib.py")
_PROCESS_FILES = ("/subprocess.py", "/multiprocessing/")
_USUAL = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "datetime": "from datetime import datetime",
    "timedelta": "from datetime import timedelta",
    "Counter": "from collections import Counter",
    "defaultdict": "from collections import defaultdict",
    "Path": "from pathlib import Path",
    "Decimal": "from decimal import Decimal",
    "dataclass": "from dataclasses import dataclass",
}
_QUOTAS = {
    errno.ENOSPC: "The workspace is full: delete files you no longer need, or write less.",
    errno.EFBIG: "The file would exceed the size one file may have: split it, or write less.",
    errno.EMFILE: "Too many files are open: close them, best with `with open(...)`.",
    errno.ENFILE: "Too many files are open: close them, best with `with open(...)`.",
    errno.EROFS: "This place is read-only. " + _FILES,
}
if hasattr(errno, "EDQUOT"):
    _QUOTAS[errno.EDQUOT] = "The workspace has too many files: delete some, or put more into each."

_MAX_CANDIDATES = 750
_MAX_KEYS = 10
_MAX_CALLS = 50


class Scene:
    """Where an exception happened.

    `traceback` is the program's deepest entry or None, `line` the source line it points
    at, `files` the filenames of all frames.
    """

    __slots__ = ("files", "line", "traceback")

    def __init__(self, traceback, line, files):
        self.traceback = traceback
        self.line = line
        self.files = files

    def failing_text(self):
        """The part of the line that was being evaluated, if it is within one line."""
        positions = self.traceback.tb_frame.f_code.co_positions()
        first, last, start, end = next(islice(positions, self.traceback.tb_lasti // 2, None))
        return self.line.encode()[start:end].decode() if first == last and start is not None else ""

    def mentions(self, word):
        """Whether the program's text where it failed has a word."""
        code = self.traceback.tb_frame.f_code if self.traceback is not None else None
        texts = [self.line, *(one for one in (code.co_consts if code else ()) if type(one) is str)]
        texts += [part for one in (code.co_consts if code else ()) if type(one) is tuple for part in one if type(part) is str]
        return any(re.search(rf"\b{word}\b", text) for text in texts)

    def in_network(self):
        return any(one.endswith(_NETWORK_FILES) for one in self.files)

    def in_processes(self):
        return any(part in one for one in self.files for part in _PROCESS_FILES)


def find(exc, message, scene):
    """Returns a hint or None."""
    hint = _find(exc, message, scene)
    if hint in (NO_NETWORK, NO_PROCESSES):
        return hint + _instead(scene.line)
    # A mistake about what a tool returned is seldom the only one about it.
    if issubclass(type(exc), _ABOUT_VALUES) and (hint is None or "It has" in hint or hint.startswith("It is ")) and scene.traceback is not None:
        told = returned.words(_text_of(scene))
        if told:
            return f"{hint} {told}." if hint else f"{told}."
    return hint


def _text_of(scene):
    """The names that the code where it failed, and the module around it, use."""
    frame = scene.traceback.tb_frame
    names = set(frame.f_code.co_names) | set(frame.f_globals)
    return " ".join(one for one in names if type(one) is str)


def _find(exc, message, scene):
    given = getattr(exc, "tidegate_hint", None)
    if type(given) is str and given:
        return given
    kind = type(exc)
    if calls.unsent and issubclass(kind, _BY_A_CALL):
        call = _unsent_call(message, scene)
        if call is not None:
            return forgotten.advice(call)
    if "'coroutine'" in message and issubclass(kind, (TypeError, AttributeError)):
        return _AWAIT
    for base, look in _BY_TYPE:
        if issubclass(kind, base):
            return columns.told(exc, message, scene) or look(exc, message, scene)
    if kind.__module__ == "sqlite3":
        return _database_error(exc, message, scene)
    return None


def _unsent_call(message, scene):
    """The call that was taken for a value in the line that failed."""
    unsent = list(islice(reversed(calls.unsent.values()), _MAX_CALLS))
    if scene.traceback is not None:
        frame = scene.traceback.tb_frame
        for call in unsent:
            if call._code is frame.f_code and forgotten.place(call)[0] == scene.traceback.tb_lineno:
                return call
        for name in re.findall(r"[^\W\d]\w*", scene.line)[:_MAX_CALLS]:
            value = frame.f_locals.get(name, frame.f_globals.get(name))
            if type(value) is calls.ToolCall and id(value) in calls.unsent:
                return value
    return unsent[0] if "ToolCall" in message else None


def _import_error(exc, message, scene):
    name = exc.name if type(exc.name) is str else ""
    root = name.partition(".")[0]
    if "`tidegate " in message:
        return None  # The host has said what to do.
    if root == "servers":
        return _server_error(name, message)
    own = _of_a_server(root, message)
    if own:
        return own
    if root in _NETWORK_MODULES or scene.in_network():
        return NO_NETWORK
    if root in _PROCESS_MODULES or scene.in_processes():
        return NO_PROCESSES
    if root in ("pip", "ensurepip", "micropip"):
        return f"Nothing can be installed in the sandbox. Available: {AVAILABLE}."
    if issubclass(type(exc), ModuleNotFoundError):
        # A submodule of something that is there was most likely misspelt.
        if "." in name and root in sys.modules:
            parent = sys.modules.get(name.rpartition(".")[0]) or sys.modules[root]
            return _did_you_mean(name.rpartition(".")[2], dir(parent))
        near = _nearest(root, _known_modules())
        start = f"Did you mean '{near}'? " if near else ""
        return f"{start}'{root}' is not installed, and nothing can be. Available: {AVAILABLE}."
    wanted = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", message)
    if wanted and "did you mean" not in message.lower():
        return _did_you_mean(wanted.group(1), dir(sys.modules.get(wanted.group(2))))
    return None


def _server_error(name, message):
    """What to say when something below `servers` is not there."""
    if "did you mean" in message.lower() or "lists them" in message:
        return "Read a tool's file before you call it: print(open('/servers/NAME/TOOL.py').read())."
    parts = name.split(".")
    if len(parts) < 3 or parts[1] not in servers.names():
        return servers.known(parts[1] if len(parts) > 1 else "")
    near = _nearest(parts[2], servers.tools_of(parts[1]))
    meant = f"Did you mean '{near}'? " if near else ""
    return f"{meant}dir(servers.{parts[1]}) lists the tools."


def _of_a_server(module, message):
    """A tool looked for in a module of Python's that has the name of a server."""
    if module not in servers.names() or servers.is_free(module):
        return None
    wanted = re.search(r"(?:name|attribute) '(\w+)'", message)
    tool = wanted.group(1) if wanted else "TOOL"
    known = servers.tools_of(module)
    if wanted and tool not in known:
        tool = _nearest(tool, known)
    if not tool:
        return None
    return f"module '{module}' is Python's own; the server is servers.{module}: `from servers.{module} import {tool}`."


def _known_modules():
    return [*sys.stdlib_module_names, "numpy", "pandas", "scipy", "sklearn", "statsmodels", "matplotlib", "sympy", "yaml"]


def _name_error(exc, message, scene):
    name = exc.name
    in_query = re.match(r"name '(\w+)' is not defined", message) if type(exc).__module__.startswith("pandas") else None
    if in_query:
        return _of_a_table(in_query.group(1), _owner(scene))
    if type(name) is not str or "did you" in message.lower() or issubclass(type(exc), UnboundLocalError):
        return None
    if name == "secrets" and re.search(r"\bsecrets\s*(\[|\.get\()", scene.line):
        return (
            "No secret was given to this program: whoever sends it passes them as `context`, {\"db\": {\"$secret\": \"...\"}}. "
            "Servers have their own credentials already, so that most calls need none."
        )
    if name in _USUAL:
        return f"Add `{_USUAL[name]}`."
    found = servers.having(name)
    if found:
        ways = [f"`from servers.{server} import {tool}`" for server, tool in found[:5]]
        return f"Add {' or '.join(ways)}."
    if name in sys.stdlib_module_names:
        return f"Add `import {name}`."
    if name in servers.names():
        return f"Add `import servers.{name} as {name}`."
    if scene.traceback is None:
        return None
    frame = scene.traceback.tb_frame
    return _did_you_mean(name, [*frame.f_locals, *frame.f_globals, *dir(builtins)])


def _attribute_error(exc, message, scene):
    name, owner = exc.name, exc.obj
    if type(name) is not str:
        return None
    kind = type(owner)
    if scene.in_processes():
        return NO_PROCESSES
    if kind is type(sys):
        module = owner.__name__
        if module in ("os", "posix") and name in _PROCESS_NAMES:
            return NO_PROCESSES
        if module in ("socket", "_socket", "ssl"):
            return NO_NETWORK
        own = _of_a_server(module, message)
        if own:
            return own
        if module == "tidegate":
            near = _did_you_mean(name, dir(owner))
            return (f"{near} " if near else "") + _as_functions(scene.line)
    if scene.in_network():
        return NO_NETWORK
    if "did you mean" in message.lower():
        return None
    if kind is dict and name in owner:
        return f"It is a dict: write ['{name}'] instead of .{name}."
    if kind is type(None):
        return "The value is None here: check what returned it."
    if kind.__module__.startswith("pandas"):
        gone = _GONE_FROM_PANDAS.get(name)
        if gone:
            return gone
    if name in ("push", "add") and hasattr(owner, "append"):
        return f"Write .append(...) instead of .{name}(...)."
    if name in ("length", "size") and hasattr(owner, "__len__"):
        return f"Write len(...) around it instead of .{name}."
    is_missing = "has no attribute" in message or message.strip("'\"") == name
    return _of_a_table(name, owner) or (_did_you_mean(name, dir(owner)) if is_missing else None)


def _of_a_table(name, owner):
    """The columns of a table, of which one was meant; also of one that is grouped."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    if not issubclass(type(owner), pandas.DataFrame):
        grouped = issubclass(type(owner), pandas.core.groupby.DataFrameGroupBy)
        owner = owner.__dict__.get("obj") if grouped else None
    if not issubclass(type(owner), pandas.DataFrame):
        return None
    keys = _keys(owner)
    near = _nearest(name, [key for key in keys if type(key) is str]) or _nearest(name, dir(type(owner)))
    meant = f"Did you mean {near!r}? " if near else ""
    return f"{meant}It has the columns {_told(owner, keys)}." if keys else "It has no columns."


def _as_functions(line):
    """How tools are called, and those that a line names in its texts."""
    from _tidegate import discovery

    told = "Tools are functions: `from servers.NAME import TOOL`, `await TOOL(argument=value)`; by name it is `await call_mcp_tool(server, tool, {argument: value})`."
    named = re.findall(r"[\"'](\w+)[\"']", line)[:6]
    if discovery._ask is None or not named:
        return told
    for name in named:
        for found in discovery.look(name, "full", limit=3):
            if found["name"] == name:
                package = re.sub(r"\W", "_", found["server"])
                return f"{told} This one: `from servers.{package} import {name}`:\n{_uses(found)}"
    return told


_GONE_FROM_PANDAS = {
    "append": "Write pd.concat([one, other]) instead of one.append(other), which pandas no longer has.",
    "ix": "Write .loc[...] or .iloc[...] instead of .ix[...], which pandas no longer has.",
    "iteritems": "Write .items() instead of .iteritems(), which pandas no longer has.",
    "applymap": "Write .map(...) instead of .applymap(...), which pandas no longer has.",
    "as_matrix": "Write .to_numpy() instead of .as_matrix(), which pandas no longer has.",
}


def _key_error(exc, message, scene):
    if "environ" in scene.line:
        return "Programs have no environment: pass what they need as `context`. Credentials stay with the servers, which have them already."
    keys = _keys(_owner(scene))
    missing = exc.args[0] if exc.args else None
    if type(missing) is str:
        missing = missing.removeprefix("Column not found: ")
    if type(missing) is str and (not keys or missing in keys):
        return _other_table(missing, scene)
    if not keys:
        return None
    near = _nearest(missing, [key for key in keys if type(key) is str]) if type(missing) is str else None
    start = f"Did you mean {near!r}? " if near else ""
    return f"{start}It has: {_told(_owner(scene), keys)}."


def _other_table(missing, scene):
    """Which table of a line lacks a column that another has: `left.merge(right, on=...)`."""
    pandas = sys.modules.get("pandas")
    if pandas is None or scene.traceback is None:
        return None
    for name in dict.fromkeys(re.findall(r"[^\W\d]\w*", scene.line)[:_MAX_CALLS]):
        frame = scene.traceback.tb_frame
        found = frame.f_locals.get(name, frame.f_globals.get(name))
        if issubclass(type(found), pandas.DataFrame) and missing not in found.columns:
            keys = _keys(found)
            return f"{name} has no {missing!r}. It has: {_told(found, keys)}." if keys else None
    return None


def _index_error(exc, message, scene):
    owner = _owner(scene)
    if type(owner) is list:
        return f"It has {len(owner)} item{'' if len(owner) == 1 else 's'}." if owner else "It is an empty list."
    return None


def _told(owner, keys):
    """The keys, and of a dict's values what they are."""
    more = ", ..." if len(keys) > _MAX_KEYS else ""
    names = [repr(key)[:60] for key in keys[:_MAX_KEYS]]
    if type(owner) is dict:
        names = [name + _kind(owner[key]) for name, key in zip(names, keys)]
    return ", ".join(names) + more


def _kind(value):
    """What is inside a value, in a few words; nothing for one that is single."""
    if type(value) is list:
        inside = f" dicts with {_names(value[0])}" if value and type(value[0]) is dict else ""
        return f" (list of {len(value)}{inside})"
    return f" (dict with {_names(value)})" if type(value) is dict and value else ""


def _names(value):
    return ", ".join([repr(key)[:40] for key in islice(value, 8) if type(key) in (str, int)])


def _owner(scene):
    """What the program was looking into, if that can be read off its own text."""
    if scene.traceback is None:
        return None
    # Only what stands in the frame's variables is followed: nothing is evaluated.
    text = scene.failing_text()
    tree = ast.parse(text.strip(), mode="eval").body if text else None
    if isinstance(tree, ast.Await):
        tree = tree.value
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute) and tree.func.attr == "pop":
        tree = tree.func
    if isinstance(tree, (ast.Subscript, ast.Attribute)):
        found = _follow(tree.value, scene.traceback.tb_frame)
        return _first_of_loop(tree.value, scene) if found is None else found
    # `frame.groupby("x").sum()`: the frame that the chain of calls begins with.
    while isinstance(tree, (ast.Call, ast.Attribute, ast.Subscript)):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    found = _follow(tree, scene.traceback.tb_frame) if isinstance(tree, ast.Name) else None
    pandas = sys.modules.get("pandas")
    return found if pandas is not None and issubclass(type(found), pandas.DataFrame) else None


def _first_of_loop(node, scene):
    """What a name in a comprehension stands for, which no frame tells: the first it goes over."""
    if not isinstance(node, ast.Name):
        return None
    for one in ast.walk(ast.parse(scene.line.strip())):
        if isinstance(one, ast.comprehension) and isinstance(one.target, ast.Name) and one.target.id == node.id:
            members = _follow(one.iter, scene.traceback.tb_frame)
            return members[0] if type(members) is list and members else None
    return None


def _follow(node, frame):
    if isinstance(node, ast.Name):
        found = frame.f_locals.get(node.id)
        return frame.f_globals.get(node.id) if found is None else found
    if isinstance(node, ast.Subscript):
        owner = _follow(node.value, frame)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else _follow(node.slice, frame)
        if type(owner) in (dict, list) and type(key) in (str, int):
            return owner[key]
    return None


def _keys(owner):
    if type(owner) is dict:
        keys = islice(owner, 200)
    else:
        pandas = sys.modules.get("pandas")
        if pandas is None or not issubclass(type(owner), (pandas.DataFrame, pandas.Series)):
            return None
        keys = islice(owner.columns if issubclass(type(owner), pandas.DataFrame) else owner.index, 200)
    # Other keys could run code of the program when shown.
    return [key for key in keys if type(key) in (str, int)]


def _os_error(exc, message, scene):
    if message.startswith("Cannot save file into a non-existent directory"):
        return "Programs write under /workspace: a file name without a folder goes there."
    if issubclass(type(exc), ConnectionError) or type(exc).__name__ in ("URLError", "gaierror", "herror"):
        return NO_NETWORK
    if scene.in_network():
        return NO_NETWORK
    if scene.in_processes() or "processes" in message:
        if scene.mentions("pip"):
            return f"Nothing can be installed in the sandbox, and much is there already: {AVAILABLE}."
        return NO_PROCESSES
    path = exc.filename
    if exc.errno == errno.ESTALE:
        return "The file was opened by an earlier program and is not there now: removed, or hidden at this level. Open it again."
    if exc.errno == errno.EROFS and type(path) is str and (path + "/").startswith(("/workspace/", "./")):
        return "At this level the workspace is read-only: return the data instead of writing it."
    if exc.errno in _QUOTAS:
        return _QUOTAS[exc.errno]
    if issubclass(type(exc), (FileNotFoundError, PermissionError)) and type(path) is str:
        if path.startswith("/") and path != "/workspace" and not path.startswith("/workspace/"):
            if not issubclass(type(exc), FileNotFoundError) or scene.mentions("w"):
                return _FILES + (_that_knows(*_WRITES) or "")
            return _FILES + (_that_knows(*(_LISTS if _LISTING.search(scene.line) else _READS)) or _USERS)
        relative = path.removeprefix("./")
        if relative.startswith("servers/") or relative == "servers":
            with_tools = "list_directory" if _LISTING.search(scene.line) else "read_file"
            return f"The servers' files are at the root: write '/{relative}', or {with_tools}({relative!r})."
        if issubclass(type(exc), FileNotFoundError):
            return (_workspace() or "") + _named_like(path) or None
    return None


def _instead(line):
    """A tool that may do what the failing line wanted from outside, if there is one."""
    from _tidegate import discovery

    words = " ".join(re.findall(r"[A-Za-z]{3,}", " ".join(re.findall(r"[\"']([^\"']+)[\"']", line))))
    if discovery._ask is None or not words:
        return ""
    for found in discovery.look(words[:200], "full", limit=1):
        package = re.sub(r"\W", "_", found["server"])
        return f" This one may do it, `from servers.{package} import {found['name']}`:\n{_uses(found)}"
    return ""


_ENDINGS = ("csv", "data", "file", "json", "jsonl", "parquet", "sqlite", "tsv", "txt", "xls", "xlsx", "xml")


def _named_like(path):
    """A tool that has what a file was taken to hold, as far as names tell: `orders.csv` and list_orders()."""
    from _tidegate import discovery

    words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", path.rpartition("/")[2]) if word.lower() not in _ENDINGS]
    if discovery._ask is None or not words:
        return ""
    for found in discovery.look(" ".join(words)[:200], "full", limit=3):
        if any(word.rstrip("s") in found["name"].lower() for word in words):
            package = re.sub(r"\W", "_", found["server"])
            return f" A tool may have it, `from servers.{package} import {found['name']}`:\n{_uses(found)}"
    return ""


# What the user has and the sandbox has not: what to search for, what the name of a tool says that has it, and the words.
_READS = ("read text file", ("read", "file"), "The user's own files are not here. A tool may read them")
_LISTS = ("list directory", ("list", "dir"), "The user's own folders are not here. A tool may list them")
_WRITES = ("write file", ("write", "file"), "The user's own files cannot be written from here. A tool may do it")
_ASKS = ("read query select database sql", ("query",), "The user's databases are not here. A tool may ask them")

_LISTING = re.compile(r"\b(?:listdir|scandir|iterdir|walk|glob|rglob|chdir|list_directory)\b")


def unseen(source):
    """What to say about a path of the user's own that a program looked for with what raises nothing, or None."""
    found = looks.missing(source)
    if found is None:
        return None
    told = f"the program looked for {found!r}, which is not in the sandbox, so it found nothing there."
    try:
        return told + (_that_knows(*_LISTS) or _USERS)
    except Exception:
        return told + _USERS


def unreturned(value):
    """What to say about a value that has no form in JSON, or None."""
    kind = type(value)
    # A class of the program could run its own code to say what it is called.
    name = type.__dict__["__name__"].__get__(kind)
    if kind in (type(x for x in ()), map, filter, zip, enumerate, reversed):
        return f"the value is a {name}, of which only its description was returned; return list(...) of it."
    if kind in (type(len), type(unreturned)):
        return f"the value is the function {value.__name__!r}, which was not called; return what it gives, {value.__name__}(...)."
    return f"the value is an object of the class {name!r}, of which only its description was returned; return its fields in a dict, as vars(...) gives them."


def _uses(found):
    """How a tool is called, and what is not known of its answer."""
    uses = found["signature"].strip()[-600:]
    return uses + "  # not declared, may be text: look at one before using fields of it" if uses.endswith("-> Any") else uses


def _that_knows(query, words, told):
    """The tool that has what was looked for in the sandbox, if there is one."""
    from _tidegate import discovery

    if discovery._ask is None:
        return None
    fitting = [
        found for found in discovery.look(query, "full", limit=8)
        if all(word in found["name"].lower() for word in words)
    ]
    # One that only reads does what was meant, unless writing was.
    if "write" not in words:
        fitting.sort(key=lambda found: "write" in found["name"].lower())
    for found in fitting[:1]:
        package = re.sub(r"\W", "_", found["server"])
        return f" {told}, `from servers.{package} import {found['name']}`:\n{_uses(found)}"
    return None


def _database_error(exc, message, scene):
    if message.startswith("unable to open database"):
        return _FILES + (_that_knows(*_ASKS) or _USERS)
    if message.startswith("no such table"):
        return "This database is in /workspace, where connecting makes an empty one if there is none." + (_that_knows(*_ASKS) or _USERS)
    return None


def _workspace():
    """What there is instead of a file that is missing."""
    try:
        names = sorted(_listdir("/workspace"))
    except OSError:
        return None
    if not names:
        return "/workspace is empty: write the file first, or pass the data as `context`. Files are kept within one session only."
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"/workspace of this session has {', '.join(names[:10])}{more}."


def _runtime_error(exc, message, scene):
    if "start new thread" in message or "create new thread" in message:
        return NO_THREADS
    if message.startswith("await wasn't used with future"):
        return "Put `await` before the call that gave this future, such as `await asyncio.gather(...)`."
    if "asyncio.run() cannot" in message or "event loop is already running" in message or "another loop is running" in message:
        return _NO_RUN
    return None


def _type_error(exc, message, scene):
    if "used in 'await' expression" in message or "can't be awaited" in message:
        return "Remove the `await`: this is a plain value already."
    if message == "'module' object is not subscriptable":
        return "A module is no dict: its names are imported, `from servers.NAME import TOOL`."
    if "is not JSON serializable" in message:
        return "Return the value itself: dates, sets, arrays and frames are converted for you."
    if message.startswith("the JSON object must be str") and message.endswith(("not dict", "not list")):
        return "It is parsed already: leave json.loads(...) out and use the value as it is."
    if message == "'NoneType' object is not subscriptable":
        return "The value before the bracket is None: check what gave it, such as .get(...) of a key that is not there or a function without return."
    if message.startswith("string indices must be integers"):
        return _looped(scene) or _is_text(scene)
    if "Task' object" in message or "Future' object" in message and "Gathering" not in message:
        return "It is a task, not its result: write `await` before it."
    if "async_generator' object is not iterable" in message:
        return "Write `async for` instead of `for`: it is an asynchronous generator."
    if "_GatheringFuture" in message:
        return "asyncio.gather(...) was not awaited: write `await asyncio.gather(...)` where it is called."
    if "NoneType" in message and message.startswith("unsupported operand"):
        return _which_is_none(scene)
    if "unhashable type: 'slice'" in message:
        return "It is a dict, which has no slices: take a list inside it, or list(d.items())[:n]."
    return None


def _is_text(scene):
    """What stands in a text that was taken for a dict."""
    owner = _owner(scene)
    if type(owner) is not str:
        return None
    if len(owner) == 1:
        return "It is one letter: the loop goes over a text. Look at what the tool gave before using fields of it, and parse the text first."
    return f"It is a text: {owner[:80]!r}.{_parse(owner)}"


def _parse(text):
    """How a text becomes a value that looks like one."""
    start = text.lstrip()[:200]
    if start[:1] not in ("{", "["):
        return ""
    if "'" in start and '"' not in start:
        return " It is written as Python writes it: ast.literal_eval(...) makes a value of it."
    return " If it is JSON, json.loads(...) makes a value of it."


def _which_is_none(scene):
    """Which side of an operation is None, and what the dict has that it was looked up in."""
    text = scene.failing_text() if scene.traceback is not None else ""
    for side in _sides(text.strip()):
        looked_up = isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and side.func.attr == "get"
        owner = _follow(side.func.value, scene.traceback.tb_frame) if looked_up else None
        if type(owner) is dict and len(side.args) == 1 and isinstance(side.args[0], ast.Constant):
            key = side.args[0].value
            if type(key) is str and owner.get(key) is None:
                keys = _keys(owner)
                return f"{ast.unparse(side)[:80]} is None here. It has: {_told(owner, keys)}."
        if isinstance(side, (ast.Name, ast.Subscript)) and _follow(side, scene.traceback.tb_frame) is None:
            return f"{ast.unparse(side)[:80]} is None here: leave such values out, or use 0 instead."
    return "One side is None: leave such values out, or use 0 instead."


def _sides(text):
    """Both sides of the operation that a text is: `a + b`, `a += b`."""
    try:
        tree = ast.parse(text).body
    except SyntaxError:
        return ()
    one = tree[0] if len(tree) == 1 else None
    if isinstance(one, ast.AugAssign):
        return one.target, one.value
    one = one.value if isinstance(one, ast.Expr) else None
    return (one.left, one.right) if isinstance(one, ast.BinOp) else ()


def _looped(scene):
    """Looping over a dict gives its keys, which are texts: say what the dict has."""
    found = _LOOP.search(scene.line)
    if found is None or scene.traceback is None:
        return None
    name = found.group(1)
    frame = scene.traceback.tb_frame
    owner = frame.f_locals.get(name)
    owner = frame.f_globals.get(name) if owner is None else owner
    keys = _keys(owner) if type(owner) is dict else None
    if not keys:
        return None
    return f"{name} is a dict, and looping over a dict gives its keys. It has: {_told(owner, keys)}."


_LOOP = re.compile(r"\bin\s+([A-Za-z_]\w*)\s*(?:[\])}:]|$|if\b)")


def _value_error(exc, message, scene):
    if message.startswith(("array is too big", "iterator is too large", "Maximum allowed dimension", "maximum supported dimension")):
        return "This array is larger than all memory a program has: work in chunks, so that each array, those in between included, has at most a million numbers."
    if type(exc).__name__ == "MergeError":
        return "Name the keys: left.merge(right, left_on=..., right_on=...)."
    if message.startswith("The truth value of a"):
        return "Write & for `and`, | for `or`, ~ for `not`, each side in brackets: (a > 1) & (b < 2); for one answer end with .any(), .all() or .empty."
    if message.startswith(("unconverted data remains", "time data ")):
        return "Write datetime.fromisoformat(text) for ISO dates and times, with or without a zone; pandas.to_datetime(values) reads most others."
    return None


def _division_error(exc, message, scene):
    if "by zero" not in message:
        return None
    return "What is divided by is 0 here, often because nothing was found: test it first, `total / count if count else 0`."


def _end_of_file(exc, message, scene):
    if "input" in scene.line or "stdin" in scene.line:
        return "Nobody is there to answer input(): pass what the program needs as `context`."
    return None


def _tool_error(exc, message, scene):
    if issubclass(type(exc), failures.PolicyError):
        return "Trying again changes nothing: do the rest without this call (`except PolicyError`), or tell the user what is not allowed."
    sent = exc.sent
    if type(sent) is not str or type(exc.tool) is not str or exc.kind != "ToolError":
        return None
    told = f"These are the server's words. It was sent {sent}; /servers/{exc.server}/{exc.tool}.py says what it takes."
    # What is refused is often what an earlier call would have said: an id, a name.
    gave = returned.words(_text_of(scene), besides=exc.tool) if scene.traceback is not None else None
    told += f" Before that, {gave}." if gave else ""
    named = _named_in(message, exc.server, exc.tool)
    return told + (f" Of the same server:\n{named}" if named else "")


def _named_in(message, server, tool):
    """How the tools are called that a server names when it refuses something: `get_devices lists them`."""
    from _tidegate import discovery

    known = set(servers.tools_of(server))
    named = [word for word in dict.fromkeys(re.findall(r"\w+", message[:2000])) if word in known and word != tool]
    if discovery._ask is None or not named:
        return ""
    found = (discovery.look(name, "full", server=server, limit=3) for name in named[:2])
    return "\n".join(_uses(one) for name, some in zip(named, found) for one in some if one["name"] == name)


def _syntax_error(exc, message, scene):
    if "'await' outside" in message or "outside async function" in message:
        if "lambda" in scene.line:
            return "A lambda cannot wait, nor can the key of a sort: await the values first, [await f(x) for x in rows], and use those."
        return "Write `async def` instead of `def` for this function, and `await` where it is called."
    if scene.line.lstrip().startswith(("```", "~~~")):
        return "Send only Python code: one block, without Markdown or text around it."
    return None


_TOO_DEEP = "This source is nested too deeply to compile: use variables for parts of it, or pass data as `context`."


def _memory_error(exc, message, scene):
    if "Parser stack" in message or "too many nested" in message:
        return _TOO_DEEP
    # An analysis, whose author has no chunks to work in, says itself what to ask for.
    if "needs more memory than there is" in message:
        return None
    return "The memory limit was reached: work in chunks, smaller ones if there are some (arrays of at most a million numbers), and drop what you no longer need."


def _recursion_error(exc, message, scene):
    if "during compilation" in message or "during ast" in message:
        return _TOO_DEEP
    return "The recursion is too deep: use a loop, or check that it ends."


# What a wrong idea of a result can raise.
_ABOUT_VALUES = (KeyError, IndexError, TypeError, AttributeError, ValueError)

# What using a call instead of its result can raise.
_BY_A_CALL = (TypeError, AttributeError, ValueError)


def _said(text):
    return lambda exc, message, scene: text


_BY_TYPE = (
    (failures.ToolError, _tool_error),
    (EOFError, _end_of_file),
    (ImportError, _import_error),
    (NameError, _name_error),
    (AttributeError, _attribute_error),
    (KeyError, _key_error),
    (IndexError, _index_error),
    (MemoryError, _memory_error),
    (RecursionError, _recursion_error),
    (OSError, _os_error),
    (RuntimeError, _runtime_error),
    (ZeroDivisionError, _division_error),
    (TypeError, _type_error),
    (ValueError, _value_error),
    (SyntaxError, _syntax_error),
)


def _did_you_mean(name, candidates):
    near = _nearest(name, candidates)
    return f"Did you mean '{near}'?" if near else None


def _nearest(name, candidates):
    import difflib

    # Private names are only meant when the wanted name is one.
    hidden = name.startswith("_")
    texts = (one for one in candidates if type(one) is str and one != name and (hidden or not one.startswith("_")))
    near = difflib.get_close_matches(name[:80], list(islice(texts, _MAX_CANDIDATES)), 1, 0.7)
    return near[0] if near else None
