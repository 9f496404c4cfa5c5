"""Runs programs and talks to the host through the one door.

Messages to the host are one letter and a body; answers are JSON or empty.

    n              what comes next: a program, or results of earlier calls; a program that
                   needs no other settings than the last one comes as `x` and its source
    c ID NAME\\nJSON a call that might be answered at once; empty means later
    w JSON         nothing can run; empty means: rest, the step ends here
    h JSON         the same from inside a plain function that cannot rest
    d JSON         the program ended

A step is one call of `step`. Between two steps no Python frame is alive, so the
guest's memory is the whole of its state.
"""

import array
import asyncio
import base64
import builtins
import gc
import io
import json
import random
import sys
import types

import _host

from _tidegate import analysis, analysis_check, awaits, binding, calls, children, content, discovery, errors, failures, forgotten, hints, loop as loops, minds, program, servers, skills, values, waiting, web
from _tidegate.failures import ToolError

_door = _host.call
# The C scanner itself: it is quicker, and a program that patches `json` leaves it alone.
_scan = json.JSONDecoder().scan_once
_modules = sys.modules
_path = sys.path
_WORKSPACE = "/workspace"
_set_recursion_limit = sys.setrecursionlimit
_import = builtins.__import__

# The host's source runs in whatever `__main__` is, so between steps it is not the
# program's.
_own_main = _modules["__main__"]

# Frames of ours below the program's first one.
_OWN_DEPTH = 12

_RESERVE = 256 << 10

# The call that takes a message, as JSON text.
_RECEIVE = '"$receive"'

_EXHAUSTED = (
    b'd{"error":{"type":"MemoryError","message":"the program used up its memory",'
    b'"hint":"Work in chunks and delete what is no longer needed."}}'
)
_EXHAUSTED_BY_ANALYSIS = (
    b'd{"error":{"type":"MemoryError","message":"the result of the analysis needs more memory than there is",'
    b'"hint":"Set a limit, select fewer columns, or aggregate the rows."}}'
)

_DEADLOCK = "every task waits for something that nothing can bring about"


class Deadlock(RuntimeError):
    """Every task waits for something that nothing can bring about."""


class Runtime:
    """One session's programs, one after another."""

    def __init__(self):
        self.loop = loops.Loop()
        self.loop.hold = self._hold
        loops.install(self.loop)
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names["__builtins__"] = builtins
        self.place = self.names  # where the program's names are
        self.waiting = {}  # call id -> future
        self.new = {}  # calls not yet told to the host, by id, as JSON text
        self.dropped = []  # ids the program no longer waits for
        self.unread = set()  # those among them whose answer, should it come yet, is a message
        self.last_id = 0
        self.runs = 0
        self.sources = {}
        self.tools = {}  # variables that are tools or servers
        self.uses_tools = False
        self.task = None
        self.prepared = None
        self.ran = False
        self.error = None
        self.value = None
        self.has_value = False
        self.value_bytes = None
        self.allowed = None
        self.importer = _import
        forgotten.sources = self.sources
        # Given up when memory has run out, so that there is some to say so with.
        self.reserve = bytes(_RESERVE)

    # --- what the host calls -------------------------------------------------

    def step(self):
        _modules["__main__"] = self.module
        builtins.__import__ = self.importer
        self.loop.enter()
        try:
            message = _door(b"n")
            if message[0] == 120:
                self.place = self.names
                if not self._begin(message[1:].decode()):
                    return self._finish()
            else:
                try:
                    message = _loads(message)
                except (ValueError, RecursionError, MemoryError) as error:
                    return self._unreadable(error)
                run = message.get("run")
                if run is None:
                    self._deliver(message["results"])
                else:
                    self._settings(run)
                    if run["source"] is None:
                        return
                    if not self._begin(run["source"]):
                        return self._finish()
            if self._pump():
                self._finish()
        except MemoryError:
            self.error = self.value = self.task = self.reserve = None
            _door(_EXHAUSTED_BY_ANALYSIS if analysis.asked else _EXHAUSTED)
        finally:
            _modules["__main__"] = _own_main
            # The host's next source must be able to import, whatever the program did.
            builtins.__import__ = _import

    def _unreadable(self, error):
        """Ends a program whose variables cannot be made: numbers too long, values too deep or too large."""
        reason = str(error) or "there is not enough memory for it"
        self.error = type(error)(f"the context cannot be read: {reason}")
        self._finish()

    # --- one program -----------------------------------------------------------

    def _refill(self):
        """Gets the reserve back after memory ran out."""
        try:
            self.reserve = bytes(_RESERVE)
        except MemoryError:
            # The program may have switched collection off or hidden its garbage.
            gc.unfreeze()
            gc.enable()
            gc.collect()
            self.reserve = bytes(_RESERVE)

    def _settings(self, run):
        """Takes over what holds for this program and those after it."""
        self.value_bytes = run["value_bytes"]
        seed = run.get("seed")
        if seed is not None:
            _seed(seed)
        servers.refresh(run.get("servers"))
        skills.refresh(run.get("skills"))
        self._restrict(run)
        context = run["context"] or {}
        if "request" in context and errors.is_analysis(run["source"] or ""):
            # Nobody wrote its program, so nothing of that stays, and nothing of the session gives way to it.
            self.place = {"__name__": "__main__", "__builtins__": builtins}
        else:
            self.place = self.names
        self.place.update(context)

    def _begin(self, source):
        """Starts a program; False when it is already over."""
        self.runs += 1
        analysis.asked = False
        discovery.begin()
        skills.begin()
        if self.reserve is None:
            self._refill()
        self.error = None
        self.value = None
        self.has_value = False
        self.task = None
        self.prepared = None
        self.ran = False
        filename = f"<program {self.runs}>"
        self.sources[filename] = (source, 0)
        if len(self.sources) > 50:
            del self.sources[next(iter(self.sources))]
        try:
            prepared = self.prepared = program.prepare(source, filename, self._mender)
            self.sources[filename] = (prepared.source, prepared.line_offset)
            if not prepared.is_coroutine:
                prepared.run(self.place)
                self.ran = True
                self.has_value, self.value = prepared.value(self.place)
                if not calls.unsent and not (self.has_value and _isawaitable(self.value)):
                    return False
        except BaseException as error:
            self.error = error
            return False
        self.task = self.loop.create_task(self._drive())
        return True

    def _mender(self, text):
        self.uses_tools, mend = awaits.mender(text, self.tools)
        return mend

    async def _drive(self):
        try:
            if not self.ran:
                await self.prepared.run(self.place)
                self.has_value, self.value = self.prepared.value(self.place)
            if self.has_value and _isawaitable(self.value):
                self.value = await self.value
            if calls.unsent:
                await _all_of(calls.inside(self.value))
                await self._send_forgotten()
        except BaseException as error:
            if self.error is None:
                self.error = error

    async def _send_forgotten(self):
        """Makes the calls that nobody awaited and nobody can await any more, in their order.

        A call that is still held by a variable may be meant for later, or for nothing.
        """
        for call in calls.forgotten_before(None):
            await call

    def _pump(self):
        """Runs until the program ends (True) or the host says to rest (False)."""
        loop = self.loop
        try:
            loop.run_ready()
            while not self.task.done():
                reply = self._ask(b"w")
                if reply is None:
                    raise Deadlock(_DEADLOCK + self._where())
                if not reply:
                    return False
                self._deliver(_loads(reply))
                loop.run_ready()
        except BaseException as error:
            # A task of the program raised SystemExit or KeyboardInterrupt.
            self.error = error
        return True

    def _ask(self, letter):
        """Tells the host what is wanted; None when nothing could ever come."""
        wake = self.loop.wake_in()
        if wake is None and not self.waiting and not self.loop._ready:
            return None
        new = ",".join(self.new.values())
        body = f'{{"calls":[{new}],"dropped":{self.dropped},"wake":{_dumps(wake)}}}'
        self.new.clear()
        self.dropped.clear()
        return _reach(letter + body.encode())

    def _where(self):
        """Where the program waits, if that is known."""
        frames = self.task.get_stack()
        lines = [frame.f_lineno for frame in frames if frame.f_code.co_filename in self.sources]
        return f"; the program waits in line {lines[-1]}" if lines else ""

    def _hold(self, future):
        loop = self.loop
        loop.run_ready()
        while not future.done():
            reply = self._ask(b"h")
            if reply is None:
                raise Deadlock(_DEADLOCK)
            if not reply:
                raise failures.CannotHold(
                    "asyncio.run() inside a plain function cannot wait for this call; make the function async and await it"
                )
            self._deliver(_loads(reply))
            loop.run_ready()

    def _deliver(self, results):
        waiting = self.waiting
        for call_id, ok, value in results:
            future = waiting.pop(call_id, None)
            if future is None or future.done():
                if call_id in self.unread:
                    _give_back(call_id)
                continue
            if ok:
                future.set_result(value)
            else:
                future.set_exception(failures.failure(value))

    # --- the end of a program --------------------------------------------------

    def _finish(self):
        error = self.error
        # `isinstance` would ask the exception itself, which is the program's.
        if issubclass(type(error), MemoryError):
            self.reserve = None
        if issubclass(type(error), SystemExit) and SystemExit.code.__get__(error) in (None, 0):
            error = None
            self.has_value = False
        if self.uses_tools or calls.unsent:
            self._end_calls(error)
        self._end_tasks()
        self.task = None
        self.place = self.names
        parts = []
        unseen = None
        if error is not None:
            self.error = None
            parts.append('"error":' + _dumps(_described(error, self.sources)))
            calls.forget_all()
        elif self.has_value:
            text, too_large = values.encode(self.value, self.value_bytes)
            parts.append('"value":' + text)
            if too_large:
                parts.append('"too_large":true')
            if values.is_described(self.value, text):
                unseen = hints.unreturned(self.value)
        self.value = None
        if error is None and self.prepared is not None:
            unseen = unseen or hints.unseen(self.prepared.source)
        if unseen:
            parts.append('"unseen":' + _dumps(unseen))
        pictures, lost = _pictures()
        if pictures:
            parts.append('"artifacts":' + _dumps(pictures))
        if lost:
            parts.append(f'"lost_pictures":{lost}')
        _reach(("d{" + ",".join(parts) + "}").encode())

    def _end_calls(self, error):
        """Says which calls were never sent, and gives variables the values they stand for."""
        names = self.names
        for name, value in list(names.items()):
            if type(value) is calls.ToolCall:
                names[name] = calls.resolved(value)
        if self.uses_tools:
            self.tools = awaits.bound(names)
        # What a program left undone when it failed is no news, but may be the reason.
        if calls.unsent and error is None:
            _tell("\n".join(forgotten.unsent_lines(calls.unsent.values())))
            calls.forget_all()

    def _end_tasks(self):
        """Tasks the program started and left behind end with it."""
        loop = self.loop
        if not (loop._ready or loop._scheduled or self.waiting):
            return
        for _ in range(10):
            left = [task for task in asyncio.all_tasks(loop) if not task.done()]
            if not left and not loop._ready:
                break
            for task in left:
                task.cancel()
            try:
                loop.run_ready()
            except BaseException:
                pass
        loop._scheduled.clear()
        loop._timer_cancelled_count = 0
        loop._ready.clear()
        self.waiting.clear()
        self.new.clear()
        self.dropped.clear()
        self.unread.clear()

    # --- permissions -------------------------------------------------------------

    def _restrict(self, run):
        limit = run["recursion"] + _OWN_DEPTH

        def setrecursionlimit(wanted):
            """Lowers the limit, or raises it as far as the session allows."""
            _set_recursion_limit(max(1, min(int(wanted), limit)))

        _set_recursion_limit(limit)
        sys.setrecursionlimit = setrecursionlimit
        allowed = run.get("imports")
        if allowed != self.allowed:
            self.allowed = allowed
            self.importer = _import if allowed is None else _importer(frozenset(allowed))
            _let_import_from_workspace(allowed is None)
        builtins.__import__ = self.importer


def ask(name, text):
    """Makes a call: `(0, [ok, value])` if it was answered at once, else `(id, future)`.

    Both are JSON text.
    """
    runtime = current
    loop = runtime.loop
    runtime.last_id = call_id = runtime.last_id + 1
    # With nothing else to run, ask at once: a quick answer then costs no trip
    # through the loop. Otherwise the call joins those of the other tasks.
    if not (loop._ready or loop._scheduled or runtime.waiting or runtime.new or runtime.dropped):
        reply = _reach(f"c{call_id} {name}\n{text}".encode())
        if reply:
            return 0, _loads(reply)
    else:
        runtime.new[call_id] = f'{{"id":{call_id},"name":{name},"arguments":{text}}}'
    runtime.waiting[call_id] = future = loop.create_future()
    return call_id, future


def ask_now(name, text):
    """Makes a call that is answered at once or never: `[ok, value]` or None."""
    current.last_id = call_id = current.last_id + 1
    reply = _reach(f"c{call_id} {name}\n{text}".encode())
    if reply:
        return _loads(reply)
    current.dropped.append(call_id)
    return None


def forget(call_id, name):
    """Takes a call back: nobody waits for its answer any more.

    A message is not lost with that, whether it has come in this very moment or comes yet.
    """
    runtime = current
    if runtime.waiting.pop(call_id, None) is None:
        if name == _RECEIVE:
            _give_back(call_id)
    elif runtime.new.pop(call_id, None) is None:
        runtime.dropped.append(call_id)
        if name == _RECEIVE:
            runtime.unread.add(call_id)


def _give_back(call_id):
    """Says that a message has not reached the program, so that it goes back to its box."""
    current.unread.discard(call_id)
    ask_now('"$give_back"', f'{{"call":{call_id}}}')


def _wait_here(future):
    current.loop.wait_here(future)


async def call(name, /, **arguments):
    """Calls a tool of the host and returns its answer."""
    if type(name) is not str:
        raise TypeError(f"the name of a tool must be text, not {type(name).__name__}")
    host_name = _dumps(_whole(name))
    call_id, answer = ask(host_name, values.encode(arguments)[0])
    if not call_id:
        ok, value = answer
        if ok:
            return value
        raise failures.failure(value)
    try:
        return await answer
    except asyncio.CancelledError:
        forget(call_id, host_name)
        raise


async def _all_of(waiting):
    if waiting:
        await asyncio.gather(*waiting)


def _isawaitable(value):
    return hasattr(type(value), "__await__")


def _loads(message):
    return _scan(message.decode(), 0)[0]


def _dumps(value):
    return values.encode(value)[0]


def _reach(message):
    """One message through the door; what was printed goes out before it."""
    _flush()
    return _door(message)


def _tell(text):
    """Says something on standard error, which may be the program's own by now."""
    try:
        print(text, file=sys.stderr)
    except BaseException:
        pass


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def _seed(seed):
    random.seed(seed)
    numpy = _modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)


def _whole(text):
    """The text without halves of letters, which no message can carry."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _described(error, sources):
    try:
        described = errors.describe(error, sources, "<tidegate")
        return {key: _whole(one) if type(one) is str else one for key, one in described.items()}
    except BaseException as again:
        return {"type": type(error).__name__, "message": f"(could not be described: {type(again).__name__})"}


def _let_import_from_workspace(allowed):
    """Puts the programs' own folder at the end of the path, or takes it away.

    Where only some modules may be imported, a file with the name of one that such a module looks
    for would run with that module's permissions.
    """
    rest = [one for one in _path if type(one) is not str or one != _WORKSPACE]
    _path[:] = [*rest, _WORKSPACE] if allowed else rest


def _importer(allowed):
    def importer(name, globals=None, locals=None, fromlist=(), level=0):
        # Only the program itself is asked; what an allowed module needs is its own affair.
        # Skills are programs, too.
        if level == 0 and (globals is None or str(globals.get("__name__", "__main__")).partition(".")[0] in ("__main__", "skills")):
            root = name.partition(".")[0]
            if root not in allowed and root not in ("servers", "skills") and not servers.is_free(root):
                error = ImportError(f"import of {name!r} is not allowed at this isolation level", name=name)
                error.tidegate_hint = "This level only lets a program import: " + ", ".join(sorted(allowed))
                raise error
        return _import(name, globals, locals, fromlist, level)

    return importer


def _pictures():
    """Figures left open become PNG files, at most twenty; and how many did not."""
    pyplot = _modules.get("matplotlib.pyplot")
    if pyplot is None:
        return None, 0
    pictures = []
    numbers = []
    try:
        numbers = pyplot.get_fignums()
        for number in numbers[:20]:
            try:
                buffer = io.BytesIO()
                pyplot.figure(number).savefig(buffer, format="png")
                data = base64.b64encode(buffer.getvalue()).decode()
                pictures.append({"name": f"figure-{number}.png", "media_type": "image/png", "data": data})
            except Exception:
                pass  # Counted below; the others are still worth having.
        pyplot.close("all")
    except Exception:
        pass
    return pictures, len(numbers) - len(pictures)


class _Errors(io.TextIOWrapper):
    """Standard error, which never overtakes what was printed before it."""

    def write(self, text):
        try:
            sys.stdout.flush()
        except BaseException:
            pass
        written = super().write(text)
        self.flush()
        return written


def _streams():
    # Whole lines go out at once; the rest goes out when the program waits or ends.
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(
        io.FileIO(1, "w", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    sys.stderr = sys.__stderr__ = _Errors(
        io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


def _public():
    """The module programs import as `tidegate`."""
    module = types.ModuleType("tidegate", "What a program can ask of the gate it runs behind.")
    public = {
        "call": call,
        "analyze": analysis.run,
        "AnalysisError": analysis_check.AnalysisError,
        "ToolCall": calls.ToolCall,
        **binding.PUBLIC,
        **discovery.PUBLIC,
        **waiting.PUBLIC,
        **web.PUBLIC,
        **children.PUBLIC,
        **minds.PUBLIC,
        **skills.PUBLIC,
        **{one.__name__: one for one in _FAILURES},
        **{one.__name__: one for one in (content.Content, content.Image, content.Audio, content.Resource, content.Link)},
    }
    module.__dict__.update(public)
    module.__all__ = sorted(public)
    return module


_FAILURES = (
    ToolError, failures.ArgumentError, failures.UnknownTool, failures.ServerError, failures.PolicyError,
    failures.MissingAwait,
)


def _offer(package):
    """What every program finds without importing it."""
    for name, value in (*binding.PUBLIC.items(), *discovery.PUBLIC.items(), *waiting.PUBLIC.items(), *web.PUBLIC.items(), *children.PUBLIC.items(), *minds.PUBLIC.items(), *skills.PUBLIC.items()):
        setattr(builtins, name, value)
    for one in _FAILURES:
        setattr(builtins, one.__name__, one)
    builtins.servers = package


def _json_default(self, o):
    """What `json.dumps` does with what it does not know."""
    if type(o) is calls.ToolCall:
        return o._settle()
    if isinstance(o, content.Content):
        return values.adopted(o)
    return _json_refusal(self, o)


_json_refusal = json.JSONEncoder.default


def _no_audit_hooks(hook):
    """An audit hook can never be removed, so one that refuses would end the session."""
    raise RuntimeError("the sandbox takes no audit hooks")


def restart():
    """Forgets every program; for image builds."""
    global current
    current = Runtime()
    announce()


def settle():
    """Readies the guest for being written to an image, and says what it has imported."""
    current.runs = 0
    current.sources.clear()
    # What was rehearsed with is gone; otherwise every session would have to find that out.
    servers.refresh(None)
    skills.refresh(None)
    # An image built on this one may bring packages; what was found there must be looked up again.
    sys.path_importer_cache.pop("/packages", None)
    sys.path_importer_cache.pop(_WORKSPACE, None)
    gc.collect()
    # Objects of the image never become garbage; looking at them would only
    # make their pages private.
    if sys.getrefcount(None) >= _IMMORTAL >> 1:
        kept = []
        _door(b"i" + _IMMORTAL.to_bytes(4, "little") + _addresses(kept))
    gc.freeze()
    announce()


# The reference count that CPython gives to objects that live forever, on machines with
# 32 bits. It is neither raised nor lowered, so whoever looks at one writes nothing.
_IMMORTAL = 5 << 28


def _addresses(kept):
    """Where the objects are that every program looks at and none changes: 4 bytes each.

    Only kinds whose life has no end that anybody waits for; generators, files and
    whatever has a finaliser keep their count. Nothing found here may be freed before
    the host has written to it, so all of it is held in `kept`.
    """
    kinds = (
        type, types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.ModuleType, types.CellType,
        types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType,
        types.ClassMethodDescriptorType, types.MappingProxyType, property, classmethod, staticmethod,
        dict, tuple, frozenset, str, bytes, int, float, complex,
    )
    seen = set()
    stack = [gc.get_objects()]
    found = []
    own = {id(seen), id(stack), id(found), id(kept)}
    while stack:
        things = stack.pop()
        kept.append(things)
        for thing in things:
            address = id(thing)
            if address in seen or address in own:
                continue
            seen.add(address)
            kind = type(thing)
            if kind in kinds or isinstance(thing, type):
                found.append(address)
            if kind not in (str, bytes, int, float, complex):
                stack.append(gc.get_referents(thing))
    return array.array("I", found).tobytes()


def announce():
    """Prints what the host has to know of this guest."""
    imports = sorted({name.partition(".")[0] for name in _modules if not name.startswith("_")})
    print(_dumps({"imports": imports, "entry": id(_enter)}))
    _flush()


def _enter():
    """What the host calls for one step."""
    current.step()


_streams()
sys.addaudithook = _no_audit_hooks
_modules["tidegate"] = _public()
_offer(servers.install())
json.JSONEncoder.default = _json_default
calls.connect(ask, forget, _wait_here, _tell)
discovery.connect(ask_now, lambda: current.value_bytes)
discovery.install()
skills.connect(ask_now, lambda: current.sources)
skills.install()
current = Runtime()
