"""What is said about mistakes with the columns of tables, and with times.

Only classes of pandas' own are looked into: others could run code of the program.
"""

import ast
import re
import sys
from itertools import islice

_ACCESSOR = re.compile(r"Can only use \.(dt|str) accessor")
_COMPARISON = re.compile(
    r"Invalid comparison between dtype=(.+) and ([\w.]+)$"
    r"|'(?:[<>]=?|[=!]=)' not supported between instances of '([\w.]+)' and '([\w.]+)'$"
)
_TEXTS = ("str", "string", "object")
_TIMES = ("Timestamp", "datetime", "datetime.datetime", "date", "datetime.date", "DatetimeArray")
_ZONED = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")
_LOOKED_AT = 50


def told(exc, message, scene):
    """What to write instead, or None."""
    if issubclass(type(exc), AttributeError):
        found = _ACCESSOR.match(message)
        return _of_accessor(found.group(1), exc.obj) if found else None
    if not issubclass(type(exc), TypeError):
        return None
    if "offset-naive and offset-aware" in message or "tz-naive and tz-aware" in message:
        return "One of the two has a time zone and the other has none: give that other the zone it is meant in, .replace(tzinfo=ZoneInfo('Europe/Berlin')) or timezone.utc; take it off the first, .replace(tzinfo=None), only if both are in one zone."
    found = _COMPARISON.match(message)
    return _of_comparison([one for one in found.groups() if one], scene) if found else None


def _of_accessor(name, owner):
    first = _first(owner)
    if name == "dt":
        if type(first) is str:
            return f"The column holds texts, such as {first[:40]!r}: {_times_of(first)}.dt has the parts of times."
        return "The column holds no times: pd.to_datetime(column).dt has their parts; of seconds, pd.to_datetime(column, unit='s')."
    such = f", such as {first!r}" if type(first) in (int, float, bool) else ""
    return f"The column holds no texts{such}: column.astype(str).str makes texts of them first."


def _of_comparison(between, scene):
    times = [one for one in between if one in _TIMES]
    column = next((one for one in between if one.startswith("datetime64")), None)
    if column and times:
        if times[0] in ("date", "datetime.date"):
            return "Compare with a moment, not with a date: pd.Timestamp(date)."
        zone = column.partition(", ")[2].rstrip("]")
        if zone:
            return f"The column's times have a zone ({zone}), and what they are compared with has none: write pd.Timestamp('...', tz={zone!r})."
        return "The column's times have no zone, and what they are compared with has one: give them theirs first, column.dt.tz_localize('UTC')."
    if not times or not any(one in _TEXTS for one in between):
        return None
    for side in _compared(scene):
        first = _first(side)
        if type(first) is str:
            zoned = " and give the other its zone, pd.Timestamp('...', tz='UTC')" if _ZONED.search(first) else ""
            return f"The column holds texts, such as {first[:40]!r}: compare {_times_of(first)}{zoned}."
    return None


def _times_of(text):
    return f"pd.to_datetime(column{', utc=True' if _ZONED.search(text) else ''})"


def _first(column):
    """The first value of a column that is a text or a number."""
    pandas = sys.modules.get("pandas")
    if pandas is None or type(column) is not pandas.Series:
        return None
    # Numbers of an array are numpy's own.
    values = (one.item() if type(one).__module__ == "numpy" else one for one in islice(column.array, _LOOKED_AT))
    return next((one for one in values if type(one) in (str, int, float, bool) and one == one), None)


def _compared(scene):
    """The columns that are compared where the program failed, as far as its text tells which."""
    text = scene.failing_text().strip() if scene.traceback is not None else ""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield _column(side, scene.traceback.tb_frame)


def _column(node, frame):
    if isinstance(node, ast.Name):
        found = frame.f_locals.get(node.id)
        return frame.f_globals.get(node.id) if found is None else found
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = node.slice.value
    elif isinstance(node, ast.Attribute):
        name = node.attr
    else:
        return None
    table, pandas = _column(node.value, frame), sys.modules.get("pandas")
    if pandas is None or type(table) is not pandas.DataFrame or type(name) is not str or name not in table.columns:
        return None
    return table[name]
