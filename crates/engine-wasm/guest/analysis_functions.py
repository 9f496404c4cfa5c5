"""The functions that expressions may call, and what they share with the operators.

Each takes and gives columns or single values. What is missing stays missing.
"""

import math
import operator
import re

from _tidegate import analysis_rows, analysis_table
from _tidegate.analysis_check import AnalysisError, rows, shown


def is_column(value):
    return hasattr(value, "dtype") and hasattr(value, "index")


def is_text(value):
    return analysis_rows.kind_of(value) == "text" if is_column(value) else isinstance(value, str)


def joined(left, right):
    left, right = [one.astype("str") if is_column(one) else one for one in (left, right)]
    return left + right


def number(value, use, notes):
    """A number, or a column of them: whole ones stay whole, as objects where no other column holds them."""
    if not is_column(value):
        if value is None or isinstance(value, (int, float)):
            return int(value) if isinstance(value, bool) else value
        raise AnalysisError(f"{use} needs numbers, not {shown(value)}")
    if value.dtype.kind == "b":
        return value.astype("Int64" if value.hasnans else "int64")
    if value.dtype.kind == "f":
        return value
    if value.dtype.kind in "iu":
        return value if str(value.dtype) in ("int64", "Int64") else value.astype("Int64" if value.hasnans else "int64")
    found, wrong = analysis_rows.exact_of(value)
    if wrong and not found.notna().any():
        name = value.name if isinstance(value.name, str) else "the expression"
        holds = analysis_table.holds(value)
        raise AnalysisError(f"{use} needs numbers, and {name!r} holds {holds}; number(x) makes numbers of text")
    if wrong:
        notes.add(f"{rows(wrong, 'have')} no number where {use} needs one; the result is null there")
    return found


def floats(value):
    return analysis_rows.numbers_of(value)[0] if is_column(value) else analysis_rows.float_of(value)


def is_exact(value):
    """Whether it is a number, or a column with some, that only Python holds as it is."""
    return value.dtype.kind == "O" if is_column(value) else type(value) is int and not -(1 << 63) <= value < 1 << 63


def is_whole(value):
    """Whether it is a whole number, or a column of them, that 64 bits hold."""
    return value.dtype.kind in "iu" if is_column(value) else type(value) is int and not is_exact(value)


def by_row(function, *values):
    """What a function of Python gives for each row; missing where something is missing."""
    length = next(len(one) for one in values if is_column(one))
    sides = [_present(one) if is_column(one) else [one] * length for one in values]
    return analysis_rows.series_of([None if any(one is None for one in row) else function(*row) for row in zip(*sides)])


def without_wrapping(function, column):
    """A column negated, or without its signs. 64 bits hold a number that they do not hold the opposite of."""
    has_least = column.dtype.kind in "iu" and bool((column == -(1 << 63)).any())
    return by_row(function, column) if has_least or is_exact(column) else function(column)


def _present(series):
    """The values of a column as Python has them, None where one is missing."""
    return [None if gone else one for one, gone in zip(series.tolist(), series.isna().tolist())]


def in_order(function, left, right, missing=False):
    """A comparison of two columns for each row; `missing` where a side is missing."""
    import pandas

    kinds = {"text" if str(one.dtype) == "str" else one.dtype.kind for one in (left, right)}
    # Whole numbers that a float would change are compared with floats as they are.
    if "O" in kinds or "f" in kinds and any(analysis_rows.has_big(one) for one in (left, right)):
        found = by_row(function, left, right)
        return pandas.Series([missing if one is None else one for one in analysis_rows.cells_of(found)], dtype="bool")
    return pandas.Series(function(left, right).to_numpy(dtype=bool, na_value=missing))


def truth(value):
    """Whether it is true, for each row; what is missing is not."""
    if not is_column(value):
        return bool(value)
    kind = analysis_rows.kind_of(value)
    if kind == "boolean" or kind == "empty":
        return value.astype("boolean").fillna(False).astype("bool")
    if kind == "number":
        return floats(value).fillna(0) != 0
    raise AnalysisError(f"and, or, not and if need true or false, and {value.name!r} holds {analysis_table.holds(value)}")


def pick(test, left, right):
    """`left` where the test holds, `right` elsewhere."""
    if not is_column(test):
        return left if test else right
    if is_column(left) and is_column(right) and left.dtype == right.dtype:
        return left.where(test, right)
    sides = [one.tolist() if is_column(one) else [one] * len(test) for one in (left, right)]
    import pandas

    missing = [one.isna().tolist() if is_column(one) else [one is None] * len(test) for one in (left, right)]
    cells = []
    for holds, *pairs in zip(test.tolist(), *zip_pairs(sides, missing)):
        value, gone = pairs[0] if holds else pairs[1]
        cells.append(None if gone else value)
    if any(isinstance(one, pandas.Timestamp) for one in cells[:1]):
        return pandas.to_datetime(pandas.Series(cells))
    return analysis_rows.series_of(cells)


def zip_pairs(sides, missing):
    return [list(zip(side, gone)) for side, gone in zip(sides, missing)]


def compared(name, function, left, right, notes):
    """Two columns, row by row."""
    import pandas

    kinds = {analysis_rows.kind_of(one) for one in (left, right)}
    if "empty" in kinds:
        return pandas.Series(name == "!=", index=left.index)
    dated = [analysis_table.dates_of(one) for one in (left, right)]
    if None not in dated:
        left, right = dated[0][0], dated[1][0]
    elif kinds <= {"number", "boolean"}:
        left, right = [number(one, f"'{name}'", notes) for one in (left, right)]
    elif kinds == {"text"}:
        left, right = left.astype("str"), right.astype("str")
    elif name in ("==", "!="):
        same = pandas.Series([one == other for one, other in zip(left.tolist(), right.tolist())])
        return same if name == "==" else ~same
    else:
        what = [f"{one.name!r}, which holds {analysis_table.holds(one)}" for one in (left, right)]
        raise AnalysisError(f"'{name}' cannot compare {what[0]}, with {what[1]}")
    return in_order(function, left, right, name == "!=").set_axis(left.index)


# --- the functions ------------------------------------------------------------------------------


def call(name, arguments, notes):
    """What a function gives for its arguments."""
    made = FUNCTIONS[name][2]
    if not any(is_column(one) for one in arguments):
        # One value is a column of one row.
        one = made([analysis_rows.series_of([each]) for each in arguments], notes, name)
        return analysis_rows.cells_of(one)[0]
    length = next(len(one) for one in arguments if is_column(one))
    columns = [one if is_column(one) else analysis_rows.series_of([one] * length) for one in arguments]
    return made(columns, notes, name)


def _abs(arguments, notes, name):
    return without_wrapping(abs, number(arguments[0], "abs()", notes))


def _real(function):
    """For functions of numpy, which give nothing where there is no real number."""

    def made(arguments, notes, name):
        import numpy

        found = getattr(numpy, function)(floats(number(arguments[0], f"{name}()", notes)))
        return found.where(numpy.isfinite(found), math.nan)

    return made


def _whole(function):
    def made(arguments, notes, name):
        import numpy

        found = number(arguments[0], f"{name}()", notes)
        if is_exact(found):
            return by_row(lambda one: one if type(one) is int else float(getattr(numpy, function)(one)), found)
        return found if found.dtype.kind in "iu" else getattr(numpy, function)(floats(found))

    return made


def _round(arguments, notes, name):
    digits = 0
    if len(arguments) > 1:
        digits = floats(arguments[1])
        if digits.nunique() != 1 or not -15 <= digits.iloc[0] <= 15:
            raise AnalysisError("round() takes a number of digits from -15 to 15")
        digits = int(digits.iloc[0])
    found = number(arguments[0], "round()", notes)
    # numpy rounds whole numbers as floats, which gives others, or none that 64 bits hold.
    is_changed = is_exact(found) or found.dtype.kind in "iu" and digits < 0 and analysis_rows.has_big(found)
    return by_row(lambda one: round(one, digits), found) if is_changed else found.round(digits)


def _extreme(larger):
    def made(arguments, notes, name):
        if not all(is_text(one) for one in arguments):
            arguments = [number(one, f"{name}()", notes) for one in arguments]
        times = _instants(arguments)
        found, when = arguments[0], times and times[0]
        for at, one in enumerate(arguments[1:], 1):
            sides = (when, times[at]) if times else (found, one)
            better = in_order(operator.ge if larger else operator.le, *sides) | one.isna().reset_index(drop=True)
            found, when = pick(better, found, one), times and pick(better, *sides)
        return found

    return made


def _instants(columns):
    """Columns of texts as times, where all of them together are ordered as such."""
    import pandas

    found = analysis_table.instants_of(pandas.concat(columns, ignore_index=True))
    length = len(columns[0])
    return found if found is None else [
        found.iloc[at * length : (at + 1) * length].reset_index(drop=True) for at in range(len(columns))
    ]


def _len(arguments, notes, name):
    value = arguments[0]
    if analysis_rows.kind_of(value) not in ("text", "nested", "mixed", "empty"):
        raise AnalysisError(f"len() needs text or lists, and {value.name!r} holds {analysis_table.holds(value)}")
    return analysis_rows.series_of([len(one) if isinstance(one, (str, list, dict)) else None for one in value.tolist()])


def _text_function(function):
    def made(arguments, notes, name):
        value = arguments[0]
        if analysis_rows.kind_of(value) not in ("text", "empty"):
            holds = analysis_table.holds(value)
            raise AnalysisError(f"{name}() needs text, and {value.name!r} holds {holds}; text(x) makes text")
        return getattr(value.astype("str").str, function)()

    return made


def as_text(series):
    """Values as JSON writes them, texts as they are."""
    import json

    cells = analysis_rows.cells_of(series)
    texts = [one if one is None or type(one) is str else json.dumps(one, ensure_ascii=False) for one in cells]
    return analysis_rows.series_of(texts)


def as_number(series):
    """Numbers, also from texts, and how many values are none."""
    import pandas

    if series.dtype.kind in "iufb":
        return number(series, "number()", None), 0
    cells = [_stripped(one) for one in series.tolist()]
    texts = [None if type(one) is int else one for one in cells]
    found = pandas.to_numeric(pandas.Series(texts, index=series.index, dtype="object"), errors="coerce")
    if found.dtype.kind != "i":
        exact = [one if type(one) is int else whole_of(one) for one in cells]
        nearest = [None if one != one else one for one in found.astype("float64").tolist()]
        found = analysis_rows.series_of([other if one is None else one for one, other in zip(exact, nearest)])
        found = found.set_axis(series.index)
    return found, int(series.notna().sum() - found.notna().sum())


def _stripped(value):
    """A text without space around it, or a number; None for what else there is."""
    if type(value) is bool:
        return int(value)
    return value.strip() if type(value) is str else value if type(value) in (int, float) else None


def whole_of(text):
    """The whole number that a text of digits is, of any size; None for any other value."""
    if type(text) is not str or not _WHOLE.fullmatch(text) or len(text) > _MOST_DIGITS:
        return None
    return int(text)


# What CPython itself is willing to read.
_MOST_DIGITS = 4300
_WHOLE = re.compile(r"[+-]?[0-9]+")


def _number(arguments, notes, name):
    found, wrong = as_number(arguments[0])
    if wrong:
        notes.add(f"number() found none in {rows(wrong)}; the result is null there")
    return found


def _coalesce(arguments, notes, name):
    found = arguments[0]
    for one in arguments[1:]:
        found = pick(found.notna(), found, one)
    return found


def _where(arguments, notes, name):
    return pick(truth(arguments[0]), arguments[1], arguments[2])


def _as_written(series):
    """Texts without their zones, so that ten o'clock is ten o'clock wherever it was."""
    if analysis_rows.kind_of(series) not in ("text", "mixed"):
        return series
    cells = [analysis_table.local_of(one) if type(one) is str else one for one in series.tolist()]
    return type(series)(cells, index=series.index, dtype=series.dtype, name=series.name)


def _date_part(arguments, notes, name):
    dated = analysis_table.dates_of(_as_written(arguments[0]))
    if dated is None:
        if analysis_rows.kind_of(arguments[0]) == "empty":
            return floats(arguments[0])
        raise AnalysisError(f"{name}() needs dates such as 2024-05-01, and {arguments[0].name!r} has none")
    if dated[1]:
        notes.add(f"{name}() found no date in {rows(dated[1])}; the result is null there")
    found = getattr(dated[0].dt, {"weekday": "day_of_week"}.get(name, name))
    return found.astype("Int64") if found.hasnans else found


_ANY = 1000
# The fewest and the most arguments, and what is done.
FUNCTIONS = {
    "abs": (1, 1, _abs),
    "round": (1, 2, _round),
    "floor": (1, 1, _whole("floor")),
    "ceil": (1, 1, _whole("ceil")),
    "sqrt": (1, 1, _real("sqrt")),
    "log": (1, 1, _real("log")),
    "exp": (1, 1, _real("exp")),
    "min": (2, _ANY, _extreme(False)),
    "max": (2, _ANY, _extreme(True)),
    "len": (1, 1, _len),
    "lower": (1, 1, _text_function("lower")),
    "upper": (1, 1, _text_function("upper")),
    "strip": (1, 1, _text_function("strip")),
    "text": (1, 1, lambda arguments, notes, name: as_text(arguments[0])),
    "number": (1, 1, _number),
    "coalesce": (1, _ANY, _coalesce),
    "where": (3, 3, _where),
    "year": (1, 1, _date_part),
    "month": (1, 1, _date_part),
    "day": (1, 1, _date_part),
    "hour": (1, 1, _date_part),
    "weekday": (1, 1, _date_part),
}
