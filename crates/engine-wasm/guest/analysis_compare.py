"""A column compared with a value: which rows match, as an array of booleans.

A missing value matches nothing but `is_null`, and what negates something (`!=`, `not_in`)
keeps it. ISO texts are compared as times where the value and the column are written so; a
time without a zone is UTC. Values of another kind than the one asked for are left out, and
a note says how many; a column that has no value of that kind is a mistake.
"""

import operator
import re

from _tidegate import analysis_rows, analysis_table
from _tidegate.analysis_check import AnalysisError, kind, rows, shown
from _tidegate.analysis_rows import float_of

_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_MOST_PATTERN = 10_000


class Cells:
    """One column under its name, and what it was found to hold."""

    def __init__(self, series, name, dates=None):
        self.series = series
        self.name = name
        self.kind = analysis_rows.kind_of(series)
        self._dates = dates

    def dates(self):
        return self._dates() if self._dates is not None else analysis_table.dates_of(self.series)

    def of(self, *types):
        """Which rows have a value of exactly these types."""
        import numpy

        return numpy.fromiter([type(one) in types for one in self.series.tolist()], bool, len(self.series))

    def none(self):
        import numpy

        return numpy.zeros(len(self.series), bool)


def cells(table, name):
    return Cells(table.column(name), name, lambda: table.dates(name))


def is_null(cells):
    return cells.series.isna().to_numpy()


def _apply(function, series, value):
    import numpy

    # A whole number and a float are compared as they are, not rounded to each other.
    if series.dtype.kind in "iu" and type(value) is float and value.is_integer():
        value = int(value)
    elif series.dtype.kind == "f" and type(value) is int and float_of(value) != value:
        series = series.astype("object")
    if series.dtype.kind == "O" and str(series.dtype) != "str":
        found = numpy.zeros(len(series), bool)
        present = series.notna().to_numpy()
        found[present] = [bool(function(one, value)) for one in series.array[present]]
        return found
    return function(series, value).to_numpy(dtype=bool, na_value=False)


def order(cells, name, value, notes):
    """Rows whose value stands in this order to `value`, which is a number or a text."""
    function = _ORDER[name]
    if cells.kind == "empty":
        return cells.none()
    if not isinstance(value, str):
        return _order_number(cells, function, name, value, notes)
    if analysis_table.is_date(value) or cells.kind == "date":
        dated = cells.dates()
        if dated is not None:
            found, wrong = dated
            if wrong:
                notes.add(f"{rows(wrong, 'have')} no date in {cells.name!r} although others do; '{name}' left them out")
            return _apply(function, found, _date(value, cells))
    if cells.kind == "text":
        return _apply(function, cells.series, value)
    if cells.kind == "mixed":
        return _order_mixed(cells, function, name, value, notes, (str,), "text")
    raise _unequal(cells, name, value)


def _order_number(cells, function, name, value, notes):
    if cells.kind in ("number", "boolean", "duration"):
        series = cells.series.dt.total_seconds() if cells.kind == "duration" else cells.series
        return _apply(function, series.astype("Int64") if cells.kind == "boolean" else series, value)
    if cells.kind == "mixed":
        return _order_mixed(cells, function, name, value, notes, (int, float), "number")
    raise _unequal(cells, name, value)


def _order_mixed(cells, function, name, value, notes, types, wanted):
    import numpy

    fitting = cells.of(*types)
    left_out = int((cells.series.notna().to_numpy() & ~fitting).sum())
    if not fitting.any():
        raise _unequal(cells, name, value)
    if left_out:
        notes.add(f"{cells.name!r} holds values of several kinds: {rows(left_out, 'have')} no {wanted}; '{name}' left them out")
    found = numpy.zeros(len(fitting), bool)
    found[fitting] = [bool(function(one, value)) for one in cells.series.array[fitting]]
    return found


def _unequal(cells, name, value):
    holds = analysis_table.holds(cells.series)
    advice = ""
    if isinstance(value, str) and cells.kind == "number":
        advice = "; write numbers without quotes"
    elif cells.kind == "text":
        advice = "; a transform with a 'cast' step makes numbers of it"
    other = f"the {kind(value)} {shown(value)}"
    return AnalysisError(f"{cells.name!r} holds {holds}, which '{name}' cannot compare with {other}{advice}")


def _date(value, cells):
    found = analysis_table.date_of(value)
    if found is None:
        raise AnalysisError(f"{cells.name!r} holds dates, and {shown(value)} is no date: write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS")
    return found


def equal(cells, value, notes):
    """Rows whose value is `value`."""
    if value is None:
        return is_null(cells)
    if isinstance(value, (list, dict)):
        return _any_of(cells, [value])
    if cells.kind == "empty":
        return cells.none()
    if isinstance(value, str):
        if analysis_table.is_date(value) or cells.kind == "date":
            dated = cells.dates()
            if dated is not None and (cells.kind == "date" or analysis_table.date_of(value) is not None):
                same = _apply(operator.eq, dated[0], _date(value, cells))
                return same | _apply(operator.eq, cells.series, value) if cells.kind in ("text", "mixed") else same
        if cells.kind in ("number", "boolean"):
            return _never(cells, value, notes)
    elif cells.kind in ("text", "date") or cells.kind == "boolean" and value not in (0, 1):
        return _never(cells, value, notes)
    return _apply(operator.eq, cells.series, value)


def _never(cells, value, notes):
    holds = analysis_table.holds(cells.series)
    notes.add(f"{cells.name!r} holds {holds}, so nothing in it equals the {kind(value)} {shown(value)}{_quoted(cells, value)}")
    return cells.none()


def _quoted(cells, value):
    """How a number is written that is meant as text."""
    if cells.kind == "text" and isinstance(value, (bool, int, float)):
        text = str(value).lower() if isinstance(value, bool) else shown(value)
        return f'; as a text it is written in quotes: "{text}"'
    return ""


def within(cells, values, notes):
    """Rows whose value is one of `values`: those that are `equal` to one of them."""
    present = [one for one in values if one is not None]
    found = is_null(cells) if len(present) < len(values) else cells.none()
    if not present or cells.kind == "empty":
        return found
    nested = [one for one in present if isinstance(one, (list, dict))]
    if nested:
        found = found | _any_of(cells, nested)
        present = [one for one in present if not isinstance(one, (list, dict))]
    texts = [one for one in present if isinstance(one, str)]
    if cells.kind == "mixed":
        return found | _dated_within(cells, texts) | _any_of(cells, present)
    wanted = texts if cells.kind in ("text", "date") else [one for one in present if not isinstance(one, str)]
    if not wanted or cells.kind == "nested":
        return found | _never(cells, present[0], notes) if present else found
    if cells.kind in ("text", "date"):
        found = found | _dated_within(cells, wanted)
        return found if cells.kind == "date" else found | cells.series.isin(wanted).to_numpy(dtype=bool, na_value=False)
    if cells.kind in ("number", "boolean"):
        return found | _number_within(cells, wanted)
    return found | cells.series.isin(wanted).to_numpy(dtype=bool, na_value=False)


def within_any_case(cells, values, notes):
    """The same, where texts are equal that differ in large and small letters only."""
    import numpy

    found = within(cells, values, notes)
    texts = {one.casefold() for one in values if isinstance(one, str)}
    if not texts or cells.kind not in ("text", "mixed"):
        return found
    same = [type(one) is str and one.casefold() in texts for one in cells.series.tolist()]
    return found | numpy.fromiter(same, bool, len(same))


def _dated_within(cells, texts):
    """Rows whose time is that of one of the texts that are times."""
    import pandas

    if cells.kind != "date":
        texts = [one for one in texts if analysis_table.is_date(one)]
    dated = cells.dates() if texts else None
    if dated is None:
        return cells.none()
    times = pandas.to_datetime(pandas.Series(texts, dtype="str"), utc=True, errors="coerce", format="ISO8601")
    if cells.kind == "date" and times.isna().any():
        _date(texts[int(times.isna().to_numpy().argmax())], cells)
    return dated[0].isin(times.dropna()).to_numpy()


def _number_within(cells, values):
    import numpy

    if cells.series.dtype.kind == "O":
        return _any_of(cells, values)
    exact = cells.series.dtype.kind in "iub"
    # A whole number is none of the others, however near a float comes to it.
    if exact:
        values = [int(one) for one in values if one == one and abs(one) < 1 << 63 and int(one) == one]
    else:
        values = [one for one in values if float_of(one) == one]
    series = cells.series.astype("Int64") if cells.kind == "boolean" else cells.series
    return series.isin(numpy.array(values, "int64" if exact else "float64")).to_numpy(dtype=bool, na_value=False)


def _any_of(cells, values):
    import numpy

    found = cells.series.notna().to_numpy().copy()
    present = cells.series[found].tolist()
    try:
        known = set(values)
        same = [_same(one, known) for one in present]
    except TypeError:
        same = [one in values for one in present]
    found[found] = numpy.array(same, bool)
    return found


def _same(value, known):
    return not isinstance(value, (list, dict)) and value in known


# --- text -----------------------------------------------------------------------------------


def pattern(text, case, where):
    """A compiled regular expression, or a clear word about it."""
    if not isinstance(text, str):
        raise AnalysisError(f"{where} must be a regular expression as text, not {shown(text)}")
    if len(text) > _MOST_PATTERN:
        raise AnalysisError(f"{where} is a regular expression of {len(text)} characters; at most {_MOST_PATTERN} are taken")
    try:
        return re.compile(text, 0 if case else re.IGNORECASE)
    except (re.error, RecursionError, OverflowError, ValueError) as error:
        raise AnalysisError(f"{where} is no valid regular expression: {shown(text)}: {error}") from None


def matching(cells, name, wanted, case, notes):
    """Rows whose text contains, starts with or ends with something, or matches a pattern."""
    import numpy

    if cells.kind == "empty":
        return cells.none()
    lists = cells.of(list) if name == "contains" and cells.kind in ("nested", "mixed") else None
    if cells.kind not in ("text", "mixed") and (lists is None or not lists.any()):
        raise AnalysisError(f"'{name}' needs text, and {cells.name!r} holds {analysis_table.holds(cells.series)}")
    if lists is None and not isinstance(wanted, (str, re.Pattern)):
        raise AnalysisError(f"'{name}' needs a text as 'value' for {cells.name!r}, not {shown(wanted)}{_quoted(cells, wanted)}")
    test = _test(name, wanted, case)
    found = numpy.fromiter([type(one) is str and test(one) for one in cells.series.tolist()], bool, len(cells.series))
    if lists is not None:
        found |= numpy.fromiter([type(one) is list and wanted in one for one in cells.series.tolist()], bool, len(lists))
    if cells.kind == "mixed":
        left_out = int((cells.series.notna().to_numpy() & ~cells.of(str, list)).sum())
        if left_out:
            notes.add(f"{cells.name!r} holds values of several kinds: {rows(left_out, 'have')} no text; '{name}' left them out")
    return found


def _test(name, wanted, case):
    if name == "regex":
        return lambda text: wanted.search(text) is not None
    if not isinstance(wanted, str):
        return lambda text: False
    tests = {"contains": str.__contains__, "starts_with": str.startswith, "ends_with": str.endswith}
    test = tests[name]
    if case:
        return lambda text: test(text, wanted)
    wanted = wanted.casefold()
    return lambda text: test(text.casefold(), wanted)
