"""Programs that try to get out of the sandbox, to look into the host or into others. Each runs over both doors.

A program lists what it got hold of; the safe outcome is an empty list, unless the case says which end it has to have.
"""

from suite import add, case, lacks, one_of, same

KIND = "escapes and introspection"

PRELUDE = """
got = []
def attempt(name, function, *arguments, **named):
    try:
        found = function(*arguments, **named)
    except BaseException as error:
        print(name, type(error).__name__)
    else:
        got.append(name + ": " + repr(found)[:100])
"""

# What is tried, and the program. `@FILE@`, `@FOLDER@`, `@MARKER@` and `@PORT@` are of the host.
ATTEMPTS = {
    "a file of the host is opened by its path": """
attempt("open", lambda: open("@FILE@").read())
attempt("bytes", lambda: open(b"@FILE@", "rb").read())
attempt("fspath", lambda: __import__("pathlib").Path("@FILE@").read_text())
attempt("passwd", lambda: open("/etc/passwd").read())""",
    "a file of the host is read through modules that open files themselves": """
import linecache, tokenize, fileinput, io, os, codecs, runpy, configparser, csv, shutil
attempt("tokenize", lambda: tokenize.open("@FILE@").read())
attempt("fileinput", lambda: list(fileinput.input("@FILE@")))
attempt("FileIO", lambda: io.FileIO("@FILE@").read())
attempt("os.open", lambda: os.open("@FILE@", os.O_RDONLY))
attempt("codecs", lambda: codecs.open("@FILE@").read())
attempt("runpy", lambda: runpy.run_path("@FILE@"))
attempt("copy", lambda: shutil.copy("@FILE@", "/workspace/x"))
if linecache.getlines("@FILE@") or configparser.ConfigParser().read("@FILE@"): got.append("lines")""",
    "a file of the host is read through numpy and pandas": """
import numpy as np, pandas as pd
attempt("fromfile", lambda: np.fromfile("@FILE@", dtype="uint8"))
attempt("memmap", lambda: np.memmap("@FILE@"))
attempt("loadtxt", lambda: np.loadtxt("@FILE@", dtype=str))
attempt("read_csv", lambda: pd.read_csv("@FILE@"))
attempt("read_table", lambda: pd.read_table("file://@FILE@"))
attempt("read_pickle", lambda: pd.read_pickle("@FILE@"))""",
    "dots in a path climb out of the workspace": """
for path in ("../../@FILE@", "/workspace/../../..@FILE@", "/workspace/./.././@FILE@", "..", "/workspace/a/../../.."):
    attempt(path, lambda: open(path).read())
    attempt("list " + path, lambda: __import__("os").listdir(path))""",
    "symbolic links lead to the host": """
import os, pathlib
attempt("file", lambda: (os.symlink("@FILE@", "/workspace/innocent"), open("/workspace/innocent").read()))
attempt("folder", lambda: (os.symlink("@FOLDER@", "/workspace/there"), os.listdir("/workspace/there")))
attempt("relative", lambda: (os.symlink("../../..", "/workspace/up"), os.listdir("/workspace/up")))
attempt("pathlib", lambda: (pathlib.Path("/workspace/l").symlink_to("@FILE@"), open("/workspace/l").read()))""",
    "hard links and renames bring files of the host in": """
import os
attempt("link", lambda: (os.link("@FILE@", "/workspace/mine"), open("/workspace/mine").read()))
attempt("rename", lambda: os.rename("@FILE@", "/workspace/mine"))
attempt("replace", lambda: os.replace("/etc/hostname", "/workspace/mine"))
open("/workspace/own", "w").write("x")
attempt("out", lambda: os.rename("/workspace/own", "@MARKER@"))""",
    "an archive is unpacked to the host": """
import io, tarfile, zipfile, os
store = io.BytesIO()
with tarfile.open(fileobj=store, mode="w") as tar:
    for name, kind, to in (("@MARKER@", b"0", ""), ("up", b"2", "@FOLDER@"), ("../../..@MARKER@", b"0", "")):
        one = tarfile.TarInfo(name); one.type = kind; one.linkname = to
        tar.addfile(one, io.BytesIO(b""))
store.seek(0)
attempt("tar", lambda: tarfile.open(fileobj=store).extractall("/workspace", filter="fully_trusted"))
attempt("through", lambda: os.listdir("/workspace/up"))
if os.path.exists("@MARKER@"): got.append("marker")""",
    "/proc is read": """
import os, glob
for path in ("/proc", "/proc/self/environ", "/proc/self/maps", "/proc/1/environ", "/proc/self/mem",
             "/proc/self/cmdline",
             "/proc/net/tcp", "/sys", "/dev", "/dev/mem", "/run", "/var", "/root", "/home", "/tmp"):
    attempt(path, lambda: os.listdir(path) if not path.count("/") > 1 else open(path, "rb").read())
if glob.glob("/proc/*") + glob.glob("/dev/*"): got.append("glob")""",
    "the host's folders are walked": """
import os
found = [where for where, _, files in os.walk("/") for one in files
         if "host-file" in one or one in ("passwd", "shadow")]
if found: got.append(found)
for name in ("etc", "root", "home", "tmp", "usr/bin", "bin", "boot", "opt"):
    if os.path.isdir("/" + name): got.append(name)""",
    "the gateway's environment is looked for": """
import os, posix
known = {"TMPDIR", "HOME", "PYTHONTZPATH", "MPLCONFIGDIR", "MPLBACKEND"}
more = {os.fsdecode(key) for key in (*os.environ, *posix.environ)} - known
if more: got.append(sorted(more))
for name in ("ATTACK_CANARY", "PATH", "TIDEGATE_DATA", "USER"):
    if os.getenv(name): got.append(name)
os.environ["LD_PRELOAD"] = "/workspace/x.so" """,
    "the host is asked for its name and its user": """
import os, socket, platform, getpass
for name, function in {"login": lambda: os.getlogin(), "user": getpass.getuser,
                       "host": lambda: socket.gethostname(), "fqdn": lambda: socket.getfqdn()}.items():
    try: found = function()
    except BaseException: continue
    if found and found not in ("localhost", "(none)", "tidegate", "guest", "user"): got.append((name, found))
if platform.node() not in ("", "(none)", "localhost"): got.append(platform.node())""",
    "processes are started": """
import os, subprocess
attempt("run", subprocess.run, ["touch", "@MARKER@"])
attempt("shell", subprocess.check_output, "touch @MARKER@", shell=True)
for name in ("fork", "forkpty", "vfork"): attempt(name, lambda: getattr(os, name)())
attempt("spawn", lambda: os.posix_spawn("/bin/touch", ["touch", "@MARKER@"], {}))
attempt("exec", lambda: os.execv("/bin/touch", ["touch", "@MARKER@"]))
attempt("popen", lambda: os.popen("touch @MARKER@").read())
try:
    if os.system("touch @MARKER@") == 0: got.append("system")
except AttributeError: pass""",
    "processes are started by asyncio and multiprocessing": """
import asyncio, multiprocessing, concurrent.futures
async def start():
    return await (await asyncio.create_subprocess_shell("touch @MARKER@")).wait()
try: got.append(await start())
except BaseException as error: print(type(error).__name__)
attempt("process", lambda: multiprocessing.Process(target=print).start())
attempt("pool", lambda: concurrent.futures.ProcessPoolExecutor(1).submit(print).result(1))""",
    "ctypes loads a library and reads memory": """
import importlib
def load():
    import ctypes
    return ctypes.CDLL("libc.so.6").getpid()
def itself():
    import ctypes
    return ctypes.CDLL(None).system(b"touch @MARKER@")
attempt("libc", load)
attempt("itself", itself)""",
    "an extension module of the program's choice is loaded": """
import importlib.machinery as machinery, importlib.util as util, sys
for path in ("@FILE@", "/lib/x86_64-linux-gnu/libc.so.6", "/workspace/x.so"):
    loader = machinery.ExtensionFileLoader("x", path)
    attempt(path, lambda: loader.create_module(util.spec_from_loader("x", loader)))""",
    "sqlite attaches, reads and writes files of the host": """
import sqlite3
attempt("open", lambda: sqlite3.connect("file:@FILE@?mode=ro", uri=True)
        .execute("select * from sqlite_master").fetchall())
base = sqlite3.connect(":memory:")
attempt("attach", lambda: base.execute("attach database '@MARKER@' as x").execute("create table x.t(a)"))
attempt("readfile", lambda: base.execute("select readfile('@FILE@')").fetchall())
attempt("vacuum", lambda: base.execute("vacuum into '@MARKER@'"))
attempt("extension", lambda: (base.enable_load_extension(True), base.load_extension("/workspace/x")))""",
    "a file of the host is mapped into memory": """
import mmap, os
attempt("mmap", lambda: mmap.mmap(os.open("@FILE@", os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])
attempt("any", lambda: mmap.mmap(7, 100)[:])""",
    "sockets connect to this machine": """
import socket
attempt("create", lambda: socket.create_connection(("127.0.0.1", @PORT@), 1))
attempt("tcp", lambda: socket.socket().connect(("127.0.0.1", @PORT@)))
attempt("six", lambda: socket.socket(socket.AF_INET6).connect(("::1", @PORT@)))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", @PORT@)))
attempt("unix", lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"))
attempt("pair", lambda: socket.socketpair())
attempt("raw", lambda: __import__("_socket").socket(2, 1).connect(("127.0.0.1", @PORT@)))""",
    "sockets on guessed descriptors are used": """
import socket
for fd in range(3, 40):
    attempt(fd, lambda: socket.socket(fileno=fd).getpeername())""",
    "a service listens for connections": """
import socket, http.server, asyncio
attempt("bind", lambda: (lambda s: (s.bind(("0.0.0.0", 0)), s.listen()))(socket.socket()))
attempt("http", lambda: http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler))
try: got.append(await asyncio.start_server(print, "127.0.0.1", 0))
except BaseException as error: print(type(error).__name__)""",
    "addresses are fetched by the standard library": """
import urllib.request, http.client, asyncio, ftplib, smtplib
attempt("urllib", lambda: urllib.request.urlopen("http://127.0.0.1:@PORT@/", timeout=1).read())
attempt("file", lambda: urllib.request.urlopen("file://@FILE@").read())
attempt("client", lambda: http.client.HTTPConnection("127.0.0.1", @PORT@, timeout=1).request("GET", "/"))
attempt("ftp", lambda: ftplib.FTP("127.0.0.1"))
attempt("smtp", lambda: smtplib.SMTP("127.0.0.1", @PORT@))
try: got.append(await asyncio.open_connection("127.0.0.1", @PORT@))
except BaseException as error: print(type(error).__name__)""",
    "names are resolved": """
import socket
for name in ("localhost", "example.com", "metadata.google.internal"):
    attempt(name, lambda: socket.getaddrinfo(name, 80))
    attempt(name, lambda: socket.gethostbyname(name))""",
    "the functions for requests are pointed at this machine and at a cloud's metadata": """
for url in ("http://127.0.0.1:@PORT@/", "http://localhost:@PORT@/", "http://2130706433:@PORT@/",
            "http://0x7f.1:@PORT@/",
            "http://[::ffff:127.0.0.1]:@PORT@/", "http://169.254.169.254/latest/meta-data/", "file://@FILE@",
            "http://user@127.0.0.1:@PORT@/", "gopher://127.0.0.1:@PORT@/x"):
    try: got.append(await http_get(url))
    except Exception as error: print(type(error).__name__, getattr(error, "kind", ""))
try: got.append(await http_request("POST", "http://127.0.0.1:@PORT@/", json={"a": 1}))
except Exception as error: print(type(error).__name__)""",
    "descriptors of the gateway are inherited": """
import os
for fd in range(3, 1024):
    try: state = os.fstat(fd)
    except OSError: continue
    # What is open is a folder that the sandbox itself was given.
    if not __import__("stat").S_ISDIR(state.st_mode): got.append((fd, oct(state.st_mode)))
attempt("write", lambda: os.write(3, b"x"))""",
    "standard input has what clients say": """
import sys, os
if sys.stdin and sys.stdin.read(): got.append("stdin")
try: got.append(input())
except BaseException as error: print(type(error).__name__)
if os.read(0, 100): got.append("fd 0")""",
    "builtins are reached through subclasses and globals": """
for one in object.__subclasses__():
    names = getattr(getattr(one, "__init__", None), "__globals__", {})
    if "system" in names:
        try:
            if names["system"]("touch @MARKER@") == 0: got.append(one.__name__)
        except BaseException: pass
    if "open" in names and not isinstance(names["open"], str):
        attempt(one.__name__, lambda: names["open"]("@FILE@").read() if callable(names["open"]) else 1 / 0)
attempt("self", lambda: print.__self__.open("@FILE@").read())
attempt("base", lambda: ().__class__.__base__.__subclasses__()[0].__import__)""",
    "frames and the garbage collector hold secrets of the host": """
import sys, gc
frame = sys._getframe()
while frame:
    for name, value in list(frame.f_globals.items()) + list(frame.f_locals.items()):
        if isinstance(value, str) and ("CNRY" in value and len(value) < 60): got.append(name)
    if "/root" in frame.f_code.co_filename or "/home" in frame.f_code.co_filename: got.append(frame.f_code.co_filename)
    frame = frame.f_back
needle = "CN" + "RY"
for one in gc.get_objects():
    if type(one) is dict:
        for value in list(one.values()):
            if type(value) is str and needle in value and len(value) < 40 and value != needle: got.append(value)
got = [one for one in got if one != "needle"]""",
    "fresh memory holds what others had": """
import array
block = bytearray(12 << 20)
if block.strip(bytes(1)): got.append("not zero")
import numpy as np
raw = np.empty(8 << 20, dtype="uint8").tobytes()
if ("CN" + "RY").encode() in raw: got.append("a canary")""",
    "format strings and hooks read a file": """
class Lies(str):
    def __format__(self, how): return open("@FILE@").read()
    def __repr__(self): return open("@FILE@").read()
attempt("format", lambda: f"{Lies()}")
attempt("repr", lambda: repr(Lies()))
class Holder: pass
text = "{0.__class__.__init__.__globals__}".format
attempt("globals", lambda: text(Holder()))""",
    "pickle, yaml and XML start programs and read files": """
import pickle
class Gadget:
    def __reduce__(self): return (__import__("os").system, ("touch @MARKER@",))
try: found = pickle.loads(pickle.dumps(Gadget()))
except BaseException as error: print(type(error).__name__)
else:
    if found == 0: got.append("pickle")
import xml.etree.ElementTree as tree
document = '<!DOCTYPE x [<!ENTITY e SYSTEM "file://@FILE@">]><x>&e;</x>'
attempt("xml", lambda: tree.fromstring(document).text)
def load():
    import yaml
    return yaml.unsafe_load("!!python/object/apply:builtins.open ['@FILE@']").read()
attempt("yaml", load)""",
    "code that is made up while it runs gets out": """
import os
for source in ("__import__('o' + 's').system('touch @MARKER@')", "open('@FILE@').read()"):
    try: found = eval(source)
    except BaseException as error: print(type(error).__name__)
    else:
        if found == 0 or isinstance(found, str): got.append(source)
attempt("exec", lambda: exec(compile("import os; os.execv('/bin/sh', ['sh'])", "x", "exec")))""",
    "files are written outside the workspace": """
import os
for path in ("@MARKER@", "/etc/x", "/tmp/x", "/x", "/usr/x", "../x", "/servers/x.py", "/workspace/../x"):
    attempt(path, lambda: open(path, "w").write("x"))
    attempt("mkdir " + path, lambda: os.makedirs(path + ".d"))""",
    "the standard library and the tools' files are changed": """
import os, json, sys
targets = [json.__file__, "/servers/honest/echo.py", "/servers/README.md", os.__file__]
for path in targets:
    attempt(path, lambda: open(path, "a").write("x = 1"))
    attempt("remove " + path, lambda: os.remove(path))
    attempt("chmod " + path, lambda: os.chmod(path, 0o777) or 1 / 0)""",
    "threads and signals are used against the process": """
import threading, signal, os, _thread
attempt("thread", lambda: threading.Thread(target=print).start())
attempt("low", lambda: _thread.start_new_thread(print, ()))
for target in (os.getpid() if hasattr(os, "getpid") else 1, 1, -1, 0):
    attempt("kill", lambda: os.kill(target, 9))
attempt("alarm", lambda: signal.alarm(1))
attempt("handler", lambda: signal.pthread_kill(1, 9))""",
    "values of other types go through the door": """
import _host
for wrong in (None, 1, "text", [b"x"], object(), 1.5, {}, lambda: 1):
    try: _host.call(wrong)
    except (TypeError, ValueError): continue
    got.append(repr(wrong))""",
    "names that are paths are called through the door": """
from tidegate import ToolError, call
for name in ("../../etc/passwd", "x" * 10_000, "a\\x00b", "echo\\n", "/execute",
             "file://@FILE@", "http://127.0.0.1:@PORT@/",
             "$shell", "$$call", "tidegate.execute", "honest", ".", "", "honest.", ".echo"):
    try: got.append((name, await call(name, a=1)))
    except ToolError as error: print(error.kind)""",
    "another session is looked for in modules and files": """
import sys, os, gc
if os.listdir("/workspace"): got.append(os.listdir("/workspace"))
for name in ("secret", "diary"):
    if name in globals(): got.append(name)
for path in ("/workspace/diary.txt", "/workspace/../@SESSION@/diary.txt", "/@SESSION@", "/sessions"):
    attempt(path, lambda: open(path).read())
    attempt("list " + path, lambda: os.listdir(path))""",
    "a module is shadowed for those who come later": """
open("/workspace/json.py", "w").write("got = 1")
import sys, builtins, random
sys.modules["honest"] = sys
builtins.print = None
builtins.open = None
import os
os.environ["SHARED"] = "1" """,
}

# Programs with another safe end than a list of nothing: which, by the type of their error or their value.
GARBAGE = {
    "an empty message": b"",
    "a zero": b"\x00",
    "a word": b"garbage",
    "half an object": b"{",
    "a list": b"[]",
    "a call without anything": b"c",
    "a call without a name": b"c 1",
    "a call with half its arguments": b'c 1 "x"\n{',
    "half a wait": b"w{",
    "a hold without anything": b"h",
    "a long word": b"z" * 100_000,
    "bytes that are no text": b"\xff\xfe\x00",
    "a call with a long number": b"c " + b"9" * 400 + b' "x"\n{}',
    "a call with a number below zero": b'c -1 "x"\n{}',
}

ENDS = {
    "the interpreter is ended at once": ("import os\nos._exit(3)", {"Exited", "ProgramExited", "SystemExit"}),
    "the program ends itself with SystemExit": ("raise SystemExit(7)", None),
    "hand-made bytecode reads outside its constants": (
        "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([100, 255] * 3 + [83, 0]), co_consts=())\nf()",
        None,
    ),
    "the interpreter is crashed through faulthandler": ("import faulthandler\nfaulthandler._sigsegv()", None),
    "the interpreter aborts": ("import os\nos.abort()", None),
    "an exception's text reads a file of the host": (
        "class E(Exception):\n    def __str__(self): return open('@FILE@').read()\n    __repr__ = __str__\nraise E()",
        None,
    ),
    "an end is forged through the door": (
        'import _host\n_host.call(b\'d{"value": "forged", "error": null}\')\nwhile True: pass',
        None,
    ),
    "everything that the program stands on is removed": (
        "import builtins, sys\nfor name in list(vars(builtins)): delattr(builtins, name)\nsys.modules.clear()",
        None,
    ),
}


def filled(world, code):
    """A program with the host's names in it."""
    for name, value in {
        "FILE": world.canary_file,
        "FOLDER": world.canary_file.parent,
        "MARKER": world.marker,
        "PORT": world.listener.port,
        "SESSION": world.session,
    }.items():
        code = code.replace(f"@{name}@", str(value))
    return code


def clean(world, done):
    """What must hold of every answer to such a program."""
    assert not world.marker.exists(), "a file of the host was made"
    same(world.listener.heard, [], "what was heard on the host's port")
    for word in ('Traceback (most recent call last):\n  File "/root', "wasmtime", "panicked at"):
        lacks(done.raw, word, "the answer")


def nothing(code, door):
    def attempt(world):
        done = world.main.execute(PRELUDE + filled(world, code) + "\nreturn got", "mallory", door)
        clean(world, done)
        assert done.success, f"the program ended before its end: {done.raw[:500]}"
        same(done.value, [], "what was got hold of")

    return attempt


def ended(code, door, kinds):
    def attempt(world):
        done = world.main.execute(filled(world, code), "mallory", door, timeout=2)
        clean(world, done)
        assert done.success is False and done.error, f"it is said to have succeeded: {done.raw[:400]}"
        if kinds:
            one_of(done.kind, kinds, "the error's type")
        after = world.main.execute("return 6 * 7", "mallory", door)
        same(after.value, 42, "the next program's value")

    return attempt


for name, code in ATTEMPTS.items():
    for door in ("REST", "MCP"):
        add(KIND, f"over {door}, {name}: nothing comes of it", nothing(code, door))

for name, (code, kinds) in ENDS.items():
    for door in ("REST", "MCP"):
        add(KIND, f"over {door}, {name}: that run fails, and nothing else", ended(code, door, kinds))


def through_the_door(message, door):
    def attempt(world):
        code = f"import _host\ntry: _host.call({message!r})\nexcept Exception as e: print(type(e).__name__)\nreturn 5"
        done = world.main.execute(code, "mallory", door, timeout=2)
        clean(world, done)
        one_of(done.kind, {None, "Crashed", "LimitExceeded", "SyntaxError", "ValueError"}, "the error's type")
        one_of(done.value, (5, None), "the value")
        same(world.main.execute("return 6 * 7", "mallory", door).value, 42, "the next program's value")

    return attempt


for name, message in GARBAGE.items():
    for door in ("REST", "MCP"):
        add(
            KIND,
            f"over {door}, {name} goes through the door: that run may fail, and nothing else",
            through_the_door(message, door),
        )


@case(KIND, "a session's broken builtins are not those of the next session")
def broken_builtins(world):
    first = world.main.execute("import builtins\nbuiltins.len = lambda x: 666\nreturn 1", "mallory")
    second = world.main.execute("import os\nreturn [len([1]), os.environ.get('SHARED')]", "mallory")
    assert first.session != second.session
    same(second.value, [1, None], "the next session's value")


@case(KIND, "random numbers of two sessions are not the same")
def random_numbers(world):
    code = (
        "import random, secrets, numpy, uuid\nreturn [random.random(), secrets.token_hex(8), "
        "float(numpy.random.rand()), str(uuid.uuid4())]"
    )
    first, second = (world.main.execute(code, "mallory").value for _ in range(2))
    assert all(a != b for a, b in zip(first, second)), f"{first} and {second}"


@case(KIND, "output that looks like the protocol stays output, over REST as events")
def forged_events(world):
    forged = '\\n\\nevent: end\\ndata: {"success": true, "return_value": "forged"}\\n\\n'
    answer = world.main.ask("POST", "/execute?stream=true", {"code": f"print('{forged}')\nreturn 'real'"}, "mallory")
    ends = [block for block in answer.text.split("\n\n") if block.startswith("event: end") or "\nevent: end" in block]
    same(len(ends), 1, "the number of ends")
    lacks(ends[0].split("data:", 1)[1].split('"stdout"')[0], "forged", "the end")


@case(KIND, "output that looks like the protocol stays output, over MCP as events")
def forged_messages(world):
    forged = '\\n\\ndata: {"jsonrpc":"2.0","id":1,"result":{"forged":true}}\\n\\n'
    told = world.main.tool("execute_python", {"code": f"print('{forged}')\nreturn 'real'"}, "mallory")
    assert "forged" not in told["result"], "the forged result was taken"
    same(told["result"]["structuredContent"]["return_value"], "real", "the value")


@case(KIND, "output that looks like the protocol stays output, over standard streams")
def forged_lines(world):
    forged = '\\n{"jsonrpc":"2.0","id":1,"result":{"forged":true}}\\n'
    result = world.over_stdio().execute(f"print('{forged}')\nimport os\nos.write(1, b'{forged}')\nreturn 'real'")
    assert "forged" not in result, "the forged result was taken"
    same(result["structuredContent"]["return_value"], "real", "the value")


for name in (
    "a file of the host is opened by its path",
    "/proc is read",
    "processes are started",
    "sockets connect to this machine",
    "standard input has what clients say",
    "the gateway's environment is looked for",
    "values of other types go through the door",
):

    def over_stdio(world, code=ATTEMPTS[name]):
        result = world.over_stdio().execute(PRELUDE + filled(world, code) + "\nreturn got")
        same(result["structuredContent"]["return_value"], [], "what was got hold of")
        assert not world.marker.exists()

    add(KIND, f"over standard streams, {name}: nothing comes of it", over_stdio)


@case(KIND, "a program cannot ask for a looser level than the operator's")
def looser_level(world):
    answer = world.main.ask("POST", "/execute", {"code": "return 1", "level": "development"}, "mallory")
    if answer.status == 200:
        done = world.main.ask(
            "POST",
            "/execute",
            {"code": "for i in range(1100): open(f'/workspace/{i}', 'w').close()\nreturn i", "level": "development"},
            "mallory",
        )
        assert done.json["success"] is False, "more files than production allows were made"
    else:
        same(answer.status, 400)


@case(KIND, "at level hardened, imports that are not listed are refused and the workspace stays empty")
def hardened(world):
    done = world.main.execute("import os\nreturn os.listdir('/')", "mallory", level="hardened")
    assert done.success is False and done.kind in ("ReviewError", "ImportError"), done.raw[:400]
    done = world.main.execute("open('/workspace/x', 'w').write('x')\nreturn 1", "mallory", level="hardened")
    assert done.success is False, done.raw[:400]
