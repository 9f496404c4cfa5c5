"""Columns of a table as plain JSON values, and lists of values as columns.

Out: no NaN and no infinity, which are null; times are ISO texts; whole numbers stay whole.
In: the kinds of the values decide, so that a missing number does not make the others
floats, and a text among numbers is seen (`kind_of`) instead of silently changed.
"""

import datetime
import decimal
import json
import math
from itertools import chain

_ATOMS = {str, int, bool, type(None)}
_MAX_DEPTH = 100
_BIG = 1 << 53


def series_of(cells):
    """A list of values as the column that fits all of them."""
    import pandas

    kinds = set(map(type, cells))
    if float in kinds or len(kinds - _ATOMS) > 0:
        kinds.discard(float)
        if kinds <= {int, type(None)} and not _has_big(cells, int in kinds):
            return pandas.Series(cells, dtype="float64")
        return _other(cells)
    missing = type(None) in kinds
    kinds.discard(type(None))
    if kinds == {str}:
        return pandas.Series(cells, dtype="str")
    if kinds == {bool}:
        return pandas.Series(cells, dtype="boolean" if missing else "bool")
    if kinds == {int}:
        try:
            return _with_gaps(cells) if missing else pandas.Series(cells, dtype="int64")
        except (OverflowError, TypeError, ValueError):
            return pandas.Series(cells, dtype="object")
    return pandas.Series(cells, dtype="object")


def _with_gaps(cells):
    """Whole numbers some of which are missing."""
    import numpy
    import pandas

    gone = numpy.array([one is None for one in cells], bool)
    return pandas.Series(pandas.arrays.IntegerArray(numpy.array([one or 0 for one in cells], "int64"), gone))


def _has_big(cells, whole):
    """Whether a whole number among them would be changed by becoming a float."""
    return whole and any([type(one) is int and not -_BIG <= one <= _BIG for one in cells])


def _other(cells):
    """Values that JSON does not have: what pandas makes of dates and Decimals, else as they are."""
    import pandas

    cells = [None if one is pandas.NaT or one is pandas.NA or one != one else one for one in map(_simple, cells)]
    present = {type(one) for one in cells if one is not None}
    if present and all(issubclass(one, datetime.datetime) for one in present):
        try:
            return pandas.Series(pandas.to_datetime(pandas.Series(cells, dtype="object")))
        except (ValueError, TypeError):
            pass
    if present <= {int, float} and not _has_big(cells, int in present):
        return pandas.Series(cells, dtype="float64")
    # Among other values a time is the text that JSON has for it.
    cells = [one.isoformat() if isinstance(one, datetime.datetime) else one for one in cells]
    present = {type(one) for one in cells if one is not None}
    return pandas.Series(cells, dtype="object") if float in present or len(present - _ATOMS) else series_of(cells)


def _simple(value):
    """A scalar of numpy or of the standard library as the nearest that JSON has."""
    kind = type(value)
    if kind in _ATOMS or kind in (float, dict, list):
        return value
    if isinstance(value, (datetime.datetime, dict, list)):
        return value
    if isinstance(value, decimal.Decimal):
        long = value.is_finite() and 15 <= value.adjusted() < 300 and value == value.to_integral_value()
        return int(value) if long else float(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if hasattr(kind, "dtype") and hasattr(value, "item"):
        return value.item()
    for base in (str, bool, int, float):
        if isinstance(value, base):
            return base(value)
    return value


def nullable(series):
    """The same, able to have missing values without becoming floats."""
    if str(series.dtype)[:1].islower() and series.dtype.kind in "iub":
        return series.astype("boolean" if series.dtype.kind == "b" else "Int64")
    return series


def kind_of(series):
    """What a column holds: number, boolean, text, date, duration, mixed, nested or empty."""
    code = series.dtype.kind
    if code in "iufb":
        if series.isna().all():
            return "empty"
        return "boolean" if code == "b" else "number"
    if code in "Mm":
        return "date" if code == "M" else "duration"
    if str(series.dtype) in ("str", "string"):
        return "text" if series.notna().any() else "empty"
    kinds = set(map(type, series.dropna().array))
    if not kinds:
        return "empty"
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "boolean"
    if kinds <= {int, float}:
        return "number"
    return "nested" if kinds <= {dict, list} else "mixed"


def numbers_of(series):
    """The numbers of a column as floats, and how many of its values are neither number nor missing."""
    import pandas

    code = series.dtype.kind
    if code in "iufb":
        return pandas.Series(series.to_numpy(dtype="float64", na_value=math.nan), index=series.index), 0
    if code in "Mm" or str(series.dtype) in ("str", "string"):
        return pandas.Series(math.nan, index=series.index, dtype="float64"), int(series.notna().sum())
    cells = series.tolist()
    kept = [float_of(one) if type(one) in (int, float) else math.nan for one in cells]
    made = pandas.Series(kept, index=series.index, dtype="float64")
    wrong = [type(one) not in (int, float, type(None)) and one == one for one in cells]
    return made, sum(map(bool, wrong))


def exact_of(series):
    """The numbers of a column, whole ones whole, and how many of its values are neither number nor missing.

    The column is of objects where nothing else holds all of them as they are.
    """
    code = series.dtype.kind
    if code in "iuf":
        return series, 0
    if code == "b":
        return series.astype("Int64"), 0
    found, wrong = numbers_of(series)
    if code in "Mm" or str(series.dtype) in ("str", "string"):
        return found, wrong
    cells = [one if type(one) in (int, float) else None for one in series.tolist()]
    return series_of(cells).set_axis(series.index), wrong


def rounded(series):
    """How many whole numbers of a column would be others as floats."""
    if series.dtype.kind not in "iuO":
        return 0
    if series.dtype.kind in "iu" and not has_big(series):
        return 0
    return sum([type(one) is int and float_of(one) != one for one in series.tolist()])


def has_big(series):
    """Whether a column has whole numbers that not every float next to them holds."""
    if series.dtype.kind == "O":
        return _has_big(series.tolist(), True)
    if series.dtype.kind not in "iu" or not series.notna().any():
        return False
    return int(series.min()) < -_BIG or int(series.max()) > _BIG


def float_of(value):
    """The nearest float, or none at all where it would be infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.nan


def cells_of(series):
    """A column as a list of plain values."""
    dtype = series.dtype
    code = dtype.kind
    if code == "M":
        return _times(series)
    if code == "m":
        seconds = series.dt.total_seconds().tolist()
        return [None if one != one else one for one in seconds]
    cells = series.tolist()
    if code in "iub":
        return [None if gone else one for one, gone in zip(cells, series.isna().tolist())] if series.hasnans else cells
    if code == "f":
        values = series.to_numpy(dtype="float64", na_value=math.nan)
        import numpy

        return cells if numpy.isfinite(values).all() else [one if math.isfinite(one) else None for one in values.tolist()]
    if str(dtype) in ("str", "string"):
        return [one if type(one) is str else None for one in cells] if series.hasnans else cells
    return cells if set(map(type, cells)) <= _ATOMS else [plain(one) for one in cells]


def _times(series):
    """Times as ISO texts, all of one column to the same fraction of a second."""
    import numpy

    zone = getattr(series.dtype, "tz", None)
    array = (series.dt.tz_localize(None) if zone is not None else series).to_numpy()
    gone = numpy.isnat(array)
    fine = not bool((array[~gone] == array[~gone].astype("datetime64[s]")).all())
    texts = numpy.datetime_as_string(array, unit=("ns" if array.dtype.str.endswith("[ns]") else "us") if fine else "s").tolist()
    endings = [""] * len(texts)
    if zone is not None:
        ahead = array - series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        seconds = numpy.where(gone, 0, ahead.astype("timedelta64[s]").astype("int64")).tolist()
        known = {one: _offset(one) for one in set(seconds)}
        endings = [known[one] for one in seconds]
    return [None if none else one + ending for one, ending, none in zip(texts, endings, gone.tolist())]


def _offset(seconds):
    """What stands behind a time for the zone it is in."""
    hours, rest = divmod(abs(seconds), 3600)
    text = f"{'-' if seconds < 0 else '+'}{hours:02}:{rest // 60:02}"
    return f"{text}:{rest % 60:02}" if rest % 60 else text


def records_of(frame, names=None):
    """A frame as a list of dicts."""
    columns = [cells_of(frame.iloc[:, at]) for at in range(frame.shape[1])]
    names = [str(one) for one in frame.columns] if names is None else names
    return [dict(zip(names, row)) for row in zip(*columns)] if columns else [{} for _ in range(len(frame))]


def plain_records(rows):
    """Records as they came, and only changed where JSON has no such value."""
    cells = list(chain.from_iterable(map(dict.values, rows)))
    kinds = set(map(type, cells))
    if kinds <= _ATOMS:
        return rows
    # One that is not finite makes the sum so.
    if kinds <= _ATOMS | {float} and math.isfinite(sum([one for one in cells if type(one) is float])):
        return rows
    return [plain(one) for one in rows]


def plain(value, depth=0):
    """Any value as JSON has it."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if depth >= _MAX_DEPTH:
        return "..."
    if isinstance(value, dict):
        return {one if type(one) is str else str(one): plain(item, depth + 1) for one, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one, depth + 1) for one in value]
    if hasattr(kind, "dtype") and hasattr(value, "tolist"):
        return plain(value.tolist(), depth + 1)
    if hasattr(value, "isoformat"):
        return value.isoformat() if value == value else None
    if hasattr(value, "total_seconds"):
        return plain(value.total_seconds(), depth + 1)
    simple = _simple(value)
    if type(simple) is not kind:
        return plain(simple, depth + 1)
    return None if kind.__name__ in ("NAType", "NaTType") else str(value)


def keyed(series):
    """A column whose values can be told apart and sorted: lists and objects as their JSON text."""
    if series.dtype.kind != "O" or kind_of(series) not in ("nested", "mixed"):
        return series
    cells = [
        json.dumps(plain(one), sort_keys=True) if isinstance(one, (dict, list, tuple)) else one for one in series.tolist()
    ]
    return type(series)(cells, index=series.index, dtype="object")


def as_keys(series):
    """The values that are there, as the texts that name them in an object."""
    present = keyed(series.dropna())
    cells = [one if type(one) is str else json.dumps(one) for one in cells_of(present)]
    return type(series)(cells, dtype="str")
