"""Words about a call that was not awaited: which line, and what to write instead.

Nothing here runs until something went wrong, so it may parse and search.
"""

import linecache

_ASYNCHRONOUS = 0x80 | 0x200  # a coroutine, an asynchronous generator
_MAX_LINE = 200
_MOST_NAMED = 5

# Programs' sources by filename, as the runtime keeps them.
sources = {}


def place(call):
    """`(line, first column, last line, last column)` of the call, columns in bytes."""
    positions = list(call._code.co_positions())
    at = call._at // 2
    if at < len(positions) and positions[at][0] is not None:
        line, last, start, end = positions[at]
        return line, start, last, end
    return call._code.co_firstlineno, None, None, None


def advice(call):
    """What is wrong with the use of a call, and the exact line to change."""
    line, start, last, end = place(call)
    said = [f"{call._what.function}() was not awaited, so nothing was sent. Line {line} is:", _line(call, line)]
    better = _awaited(call, line, start, last, end)
    if better:
        said += ["write:", better]
    code = call._code
    if code.co_name in ("<lambda>", "<genexpr>"):
        kind = "lambda" if code.co_name == "<lambda>" else "generator expression"
        said.append(f"in an async function or a list comprehension, because a {kind} cannot await")
    elif code.co_name != "<module>" and not code.co_flags & _ASYNCHRONOUS:
        at = _def_line(call)
        head = _line(call, at).strip()
        said.append(f"and make {code.co_name}() async, in line {at}:")
        if head.startswith("def "):
            said.append(f"async {head}")
        said.append(f"and write `await {code.co_name}(...)` wherever it is called")
    return "\n".join([_shown(one.strip()) for one in said])


def unsent_lines(calls):
    """One line for each place that made a call nobody sent."""
    return _lines(calls, "was never awaited, so nothing was sent")


def sent_lines(calls, at_end):
    """One line for each place that made a call which is sent later than it should be."""
    when = "at the end of the program" if at_end else "before the next call"
    return _lines(calls, f"was not awaited; it is sent now, {when}: write `await` before it")


def _lines(calls, what):
    said = {}
    for call in calls:
        said.setdefault(f"line {place(call)[0]}: {call._what.function}(...) {what}")
    lines = list(said)
    more = len(lines) - _MOST_NAMED
    return lines[:_MOST_NAMED] + ([f"and {more} more calls were never awaited"] if more > 0 else [])


def _line(call, number):
    filename = call._code.co_filename
    if filename in sources:
        lines = sources[filename][0].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""
    return linecache.getline(filename, number).rstrip("\n")


def _def_line(call):
    """Where the function around a call says `def`: decorators stand before it."""
    first = call._code.co_firstlineno
    for number in range(first, first + 20):
        if _line(call, number).lstrip().startswith("def "):
            return number
    return first


def _awaited(call, line, start, last, end):
    """The line with `await` where it is missing."""
    if start is None:
        return ""
    text = _line(call, line).encode()
    before, rest = text[:start], text[start:]
    if last != line:
        return (before + b"await " + rest).decode("utf-8", "replace")
    inner, after = text[start:end], text[end:]
    made = b"await " + inner
    # What follows would otherwise be done to the call, before the wait.
    if after.lstrip()[:1] in (b"[", b".", b"(") or after.lstrip()[:2] == b"**":
        made = b"(" + made + b")"
    return (before + made + after).decode("utf-8", "replace")


def _shown(text):
    return text if len(text) <= _MAX_LINE else text[:_MAX_LINE] + "..."
