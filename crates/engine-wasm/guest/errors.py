"""Describes an exception for whoever wrote the program: what, where, and what to try.

The traceback has the program's own lines and those of libraries, but none of ours. All
of it is bounded, whatever the exception: frames, chains, groups, messages. Nothing that
belongs to the exception is trusted to work; its `__str__` may raise, its attributes may
be anything. Fields of exceptions are read through `BaseException` itself, so that a
subclass cannot put something else in their place.
"""

import re
from itertools import islice

from _tidegate import hints

_MAX_MESSAGE = 250_000
_MAX_TOLD = 2000
_MAX_LINE = 500
_MAX_FRAMES = 20
_MAX_TEXT = 8000
_MAX_CHAIN = 5
_MAX_MEMBERS = 5
_MAX_NESTING = 3
# A loop in the chain of frames cannot happen, but a traceback can be very long.
_MAX_WALK = 100_000

_WRAPPERS = ("runpy", "asyncio", "concurrent")

# The program around a request for an analysis, as the gateway writes it: nobody else knows its lines.
_ANALYSIS = re.compile(r"(import \w+\n)?from tidegate import analyze\nreturn await analyze\(request(, True)?\)")

_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"


def describe(exc, sources, own_prefix="<tidegate"):
    """Returns a dict with type, message, traceback and, where known, line, column,
    source_line and hint.

    `sources` maps a filename to `(source, line_offset)`: line n of a frame is line
    n - line_offset of that source. Lines and columns count from 1.
    """
    try:
        return _Description(sources, own_prefix).of(exc)
    except BaseException:
        # Out of memory or of stack, most likely.
        name = type.__getattribute__(type(exc), "__name__")
        return {"type": name, "message": _message(exc), "traceback": f"{name}\n"}


def is_analysis(source):
    """Whether a program is the one around a request for an analysis."""
    return _ANALYSIS.fullmatch(source.strip()) is not None


class _Frame:
    """One line of a traceback, reduced to what is shown."""

    __slots__ = ("filename", "line", "name", "traceback")

    def __init__(self, traceback):
        code = traceback.tb_frame.f_code
        self.filename = code.co_filename
        self.line = traceback.tb_lineno
        self.name = code.co_name
        self.traceback = traceback

    def place(self):
        return self.filename, self.line, self.name


class _Description:
    def __init__(self, sources, own_prefix):
        self.sources = sources
        self.own_prefix = own_prefix
        self.frames_left = _MAX_FRAMES

    def of(self, exc):
        frames = self.frames(exc)
        members = _members(exc)
        if members and not (frames and self.is_program(frames[-1].filename)):
            # A group that a library put together, as a TaskGroup does: its first member says more.
            frames = self.frames(_first_leaf(exc)) or frames
        deepest = self.deepest(frames)
        made = {"type": type_name(exc, False), "message": _message(exc)}
        if members:
            # The group's own words say only how many there are.
            made["message"] = f"{made['message']}: {'; '.join([self.told(one) for one in members[:3]])}"
        # A function of an earlier program may have failed; its author wants to know which line called it.
        newest = next(reversed(self.sources), None)
        innermost = deepest
        deepest = next((frame for frame in reversed(frames) if frame.filename == newest), deepest)
        line, column = self.position(exc, deepest)
        if line is not None:
            made["line"] = line
            if column is not None:
                made["column"] = column
            text = self.source_line(self.file_of(exc, deepest), line)
            if not text and issubclass(type(exc), SyntaxError) and type(exc.text) is str:
                text = exc.text.rstrip()[:_MAX_LINE]
            if text:
                made["source_line"] = text
        is_refused = type_name(exc, False) == "AnalysisError"
        if is_refused or self.is_analysis(newest):
            # Nobody wrote the line that asked for it.
            for key in ("line", "column", "source_line"):
                made.pop(key, None)
        else:
            made["traceback"] = _shorten("".join(self.chain(exc, 0)))
        if is_refused:
            return made
        hint = self.hint(exc, innermost, frames, made.get("source_line", ""))
        if hint is None and members:
            hint = self.hint(members[0], None, self.frames(members[0]), "")
        if hint:
            made["hint"] = hint
        return made

    def hint(self, exc, deepest, frames, line):
        try:
            scene = hints.Scene(deepest and deepest.traceback, line, [frame.filename for frame in frames])
            return hints.find(exc, _message(exc), scene)
        except BaseException:
            return None

    def told(self, member):
        """A member of a group, in a few words."""
        text = f"{type_name(member, False)}: {_message(member)[:300]}"
        deepest = self.deepest(self.frames(_first_leaf(member)))
        return text if deepest is None else f"{text} (line {deepest.line})"

    # --- where ---------------------------------------------------------------------

    def deepest(self, frames):
        return next((frame for frame in reversed(frames) if self.is_program(frame.filename)), None)

    def is_program(self, filename):
        return filename in self.sources or filename.startswith("<program")

    def is_analysis(self, filename):
        """Whether a program is the one around a request for an analysis."""
        return is_analysis(self.sources.get(filename, ("", 0))[0])

    def frames(self, exc):
        """The frames to show: none of ours, nor those that merely lead to the program."""
        shown = []
        traceback = _TRACEBACK(exc)
        for _ in range(_MAX_WALK):
            if traceback is None:
                break
            frame = _Frame(traceback)
            if not frame.filename.startswith((self.own_prefix, "<frozen importlib")):
                shown.append(frame)
            traceback = traceback.tb_next
        for at, frame in enumerate(shown):
            if self.is_program(frame.filename):
                return shown[at:]
        return [frame for frame in shown if not _is_wrapper(frame)]

    def position(self, exc, deepest):
        if self.is_own_syntax_error(exc):
            line, column = exc.lineno, exc.offset
            return line if type(line) is int else None, column if type(column) is int and column > 0 else None
        if deepest is None:
            return None, None
        return deepest.line, self.column(deepest)

    def is_own_syntax_error(self, exc):
        """Whether the program itself does not compile, rather than text it compiled."""
        return issubclass(type(exc), SyntaxError) and type(exc.filename) is str and self.is_program(exc.filename)

    def file_of(self, exc, deepest):
        return exc.filename if self.is_own_syntax_error(exc) else deepest.filename

    def column(self, frame):
        positions = frame.traceback.tb_frame.f_code.co_positions()
        start = next(islice(positions, max(frame.traceback.tb_lasti, 0) // 2, None), None)
        if start is None or start[0] != frame.line or start[2] is None:
            return None
        # CPython counts bytes.
        text = self.whole_line(frame.filename, frame.line)
        if text.isascii():
            return start[2] + 1
        return len(text.encode("utf-8", "surrogatepass")[: start[2]].decode("utf-8", "replace")) + 1

    def whole_line(self, filename, line):
        source, offset = self.sources.get(filename, ("", 0))
        lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[line - offset - 1] if 0 < line - offset <= len(lines) else ""

    def source_line(self, filename, line):
        return self.whole_line(filename, line).rstrip()[:_MAX_LINE]

    # --- the traceback ---------------------------------------------------------------

    def chain(self, exc, nesting):
        """The exception and those before it, the oldest first, as pieces of text."""
        links = [(exc, "")]
        met = {id(exc)}
        while len(links) < _MAX_CHAIN:
            current = links[-1][0]
            before, words = _CAUSE_OF(current), _CAUSE
            if before is None and not _SUPPRESSED(current):
                before, words = _CONTEXT_OF(current), _CONTEXT
            if before is None or id(before) in met:
                break
            met.add(id(before))
            links.append((before, words))
        # The last exception is the one asked about, so it takes its frames first.
        blocks = [self.block(one, nesting) for one, _ in links]
        pieces = []
        for at in range(len(blocks) - 1, -1, -1):
            pieces += blocks[at]
            if at:
                pieces.append(links[at][1])
        return pieces

    def block(self, exc, nesting):
        pieces = []
        frames = self.frames(exc)
        if frames:
            pieces.append("Traceback (most recent call last):\n")
            pieces += self.frame_lines(frames)
        if self.is_own_syntax_error(exc):
            pieces += self.syntax_lines(exc)
        pieces.append(_last_line(exc))
        pieces += _notes(exc)
        members = _members(exc)
        if members and nesting < _MAX_NESTING:
            for number, member in enumerate(members[:_MAX_MEMBERS], 1):
                text = "".join(self.chain(member, nesting + 1))
                pieces.append(f"  --- {number} of {len(members)} ---\n")
                pieces += [f"  {line}\n" for line in text.splitlines()]
            if len(members) > _MAX_MEMBERS:
                pieces.append(f"  --- and {len(members) - _MAX_MEMBERS} more ---\n")
        return pieces

    def frame_lines(self, frames):
        runs = self.without_depths(_runs(frames))
        # Even an old link of a long chain shows where it came from.
        allowed = max(self.frames_left, 2)
        self.frames_left -= min(len(runs), allowed)
        omitted = len(runs) - allowed
        first = allowed // 3
        for at, (frame, times) in enumerate(runs):
            if omitted > 0 and first <= at < first + omitted:
                if at == first:
                    yield f"  [{omitted} frames left out]\n"
                continue
            if frame is None:
                yield f"    [{times} frames of the library left out]\n"
                continue
            yield f'  File "{frame.filename}", line {frame.line}, in {frame.name}\n'
            text = self.source_line(frame.filename, frame.line).strip()
            if text:
                yield f"    {text}\n"
            if times > 1:
                yield f"  [Previous line repeated {times - 1} more times]\n"

    def without_depths(self, runs):
        """The same, where a library's own ways between its first and its last frame are left out."""
        kept, stretch = [], []
        for run in [*runs, None]:
            if run is not None and not self.is_program(run[0].filename):
                stretch.append(run)
                continue
            if len(stretch) > 3:
                stretch[1:-1] = [[None, sum([times for _, times in stretch[1:-1]])]]
            kept += stretch
            stretch = []
            if run is not None:
                kept.append(run)
        return kept

    def syntax_lines(self, exc):
        line, column = self.position(exc, None)
        yield f'  File "{exc.filename}", line {line}\n'
        whole = self.source_line(exc.filename, line) if line else ""
        text = whole.strip()
        if text:
            yield f"    {text}\n"
            at = (column or 0) - 1 - (len(whole) - len(whole.lstrip()))
            if 0 <= at <= len(text):
                yield "    " + " " * at + "^\n"


def _runs(frames):
    """Equal frames in a row as one, with their number: recursion repeats itself."""
    runs = []
    for frame in frames:
        if runs and runs[-1][0].place() == frame.place():
            runs[-1][1] += 1
        else:
            runs.append([frame, 1])
    return runs


def _is_wrapper(frame):
    module = frame.traceback.tb_frame.f_globals.get("__name__")
    return type(module) is str and module.partition(".")[0] in _WRAPPERS


# --- the exception itself -----------------------------------------------------------

_TRACEBACK = BaseException.__traceback__.__get__
_CAUSE_OF = BaseException.__cause__.__get__
_CONTEXT_OF = BaseException.__context__.__get__
_SUPPRESSED = BaseException.__suppress_context__.__get__


def type_name(exc, qualified):
    """The class of an exception, with its module if that is not obvious."""
    kind = type(exc)
    try:
        name = str.__str__(kind.__qualname__)
        module = kind.__module__
        if qualified and type(module) is str and not module.startswith(("builtins", "__main__", "_tidegate", "tidegate")):
            name = f"{module}.{name}"
    except BaseException:
        name = "Exception"
    # A class made inside a function is known by its own name.
    return (name if qualified else name.rpartition(".<locals>.")[2])[:200]


def _message(exc):
    try:
        if issubclass(type(exc), SyntaxError) and type(exc.msg) is str:
            text = exc.msg
        else:
            text = str.__str__(str(exc))
    except BaseException:
        text = f"<unprintable {type_name(exc, False)}>"
    if len(text) <= _MAX_MESSAGE:
        return text
    return text[: _MAX_MESSAGE - 40] + f"... [{len(text)} characters]"


def _last_line(exc):
    message = _message(exc)
    if len(message) > _MAX_TOLD:
        # Said in full under "message".
        message = message[:_MAX_TOLD] + "..."
    name = type_name(exc, True)
    return f"{name}: {message}\n" if message else f"{name}\n"


def _notes(exc):
    try:
        notes = [note for note in exc.__notes__ if type(note) is str]
    except BaseException:
        return []
    return [f"{note[:_MAX_LINE]}\n" for note in notes[:5]]


def _members(exc):
    if not issubclass(type(exc), BaseExceptionGroup):
        return ()
    return BaseExceptionGroup.exceptions.__get__(exc)


def _first_leaf(exc):
    """The first exception in a group that is no group."""
    for _ in range(_MAX_NESTING):
        members = _members(exc)
        if not members:
            break
        exc = members[0]
    return exc


def _shorten(text):
    if len(text) <= _MAX_TEXT:
        return text
    # The end says what happened, the beginning where it started.
    start = _MAX_TEXT // 4
    return text[:start] + "\n[...]\n" + text[start + 7 - _MAX_TEXT :]
