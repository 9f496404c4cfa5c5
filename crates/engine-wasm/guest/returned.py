"""What tools returned, in a few words: for hints after a mistake about it.

Only the first result of each tool is looked at, and only its outline is kept: a program
that calls a tool in a loop pays for one look, and no result lives longer for it.
"""

from itertools import islice

_MOST_TOOLS = 4
_MOST_KEYS = 8
_MOST_NESTED = 4
_MOST_TEXT = 160
_MOST_WORDS = 700

_seen = {}


def note(tool, value):
    """A tool has returned something."""
    if tool in _seen:
        return
    while len(_seen) >= _MOST_TOOLS:
        del _seen[next(iter(_seen))]
    _seen[tool] = _outline(value, 2)


def words(text, besides=None):
    """What the tools returned that `text` names, or None; nothing of the tool `besides`."""
    told = [f"{tool}() gave {outline}" for tool, outline in _seen.items() if tool in text and tool != besides]
    if not told:
        return None
    return "; ".join(told)[:_MOST_WORDS]


def _outline(value, depth):
    kind = type(value)
    if kind is dict:
        if not value or not depth:
            return "a dict" if value else "an empty dict"
        if len(value) == 1 and depth == 2:
            (key, one), = value.items()
            if type(key) is str and type(one) is str and one:
                return f"{{{key[:40]!r}: str}}, the text beginning {one[:_MOST_TEXT]!r}"
        shown = [f"{key[:40]!r}: {_outline(one, depth - 1)}" for key, one in islice(value.items(), _MOST_KEYS) if type(key) is str]
        more = ", ..." if len(value) > _MOST_KEYS else ""
        return "{" + ", ".join(shown) + more + "}"
    if kind is list:
        inside = f" of {_inside(value[0], depth)}" if value else ""
        return f"a list{inside}" if value else "an empty list"
    if kind is str:
        return "str" if depth < 2 else f"the text {value[:_MOST_TEXT]!r}{_read_by(value)}"
    return "None" if value is None else kind.__name__


def _read_by(text):
    """What makes a value of a text that looks like one."""
    start = text.lstrip()[:200]
    if start[:1] not in ("{", "["):
        return ""
    by = "ast.literal_eval" if "'" in start and '"' not in start else "json.loads"
    return f", which {by}(...) may read"


def _inside(value, depth):
    """What a list has, by its first."""
    if type(value) is dict:
        shown = [repr(key[:40]) + _nested(one) for key, one in islice(value.items(), _MOST_KEYS) if type(key) is str]
        keys = ", ".join(shown)
        more = ", ..." if len(value) > _MOST_KEYS else ""
        return f"dicts with {keys}{more}" if keys else "dicts"
    return _outline(value, 0)


def _nested(value):
    """What is in a field of a row that is not single: compared with a text, it would never be the same."""
    is_list = type(value) is list
    inner = value[0] if is_list and value else value
    if type(inner) is not dict:
        return " (a list)" if is_list else ""
    keys = ", ".join([repr(key[:40]) for key in islice(inner, _MOST_NESTED) if type(key) is str])
    more = ", ..." if len(inner) > _MOST_NESTED else ""
    known = f" with {keys}{more}" if keys else ""
    return f" (a list of dicts{known})" if is_list else f" (a dict{known})"
