"""The rows of an analysis: records as they came, or the columns of a file.

Columns are made when they are asked for, so a filter over one field of wide records reads
only that field, and its result has the very records it was given. A name is a column or a
dotted path into nested records; numbers in a path count in lists.
"""

import re
from itertools import chain

from _tidegate import analysis_rows
from _tidegate.analysis_check import AnalysisError, listed, nearest, rows, shown

# A text with a date in front is worth a try to read as one.
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}(?::?\d{2}.*)?)?")
# The time of one that says its zone, and the zone.
_ZONED = re.compile(r"(\d{4}-\d{2}-\d{2}[T ]\d{2}.*?)(Z|[+-]\d{2}(?::?\d{2})?)")
_SURELY = 1000
# From the year 1 to 9999, in microseconds since 1970.
_CALENDAR = (-62_135_596_800_000_000, 253_402_300_799_000_000)
_UNITS = {"s": ("seconds", 1e6), "ms": ("milliseconds", 1e3), "us": ("microseconds", 1), "ns": ("nanoseconds", 1e-3)}


class Table:
    """Rows with named columns; nothing changes it."""

    def __init__(self, frame=None, records=None):
        self._records = records
        self._frame = frame
        self._columns = {}
        self._dates = {}
        if records is not None:
            self.names = list(dict.fromkeys(chain.from_iterable(records)))
            self.count = len(records)
        else:
            self.names = list(frame.columns)
            self.count = len(frame)

    def __len__(self):
        return self.count

    def has(self, name):
        """Whether there is such a column or path."""
        try:
            self.column(name)
        except AnalysisError:
            return False
        return True

    def column(self, name):
        """One column, its rows numbered from 0."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._made(name)
            found.name = name
        return found

    def _made(self, name):
        if name in self.names:
            if self._records is None:
                return self._frame[name]
            return analysis_rows.series_of([one.get(name) for one in self._records])
        head, rest = self._split(name)
        if head is None:
            raise AnalysisError(f"there is no column {shown(name)}.{nearest(name, self.names)} The columns: {listed(self.names)}")
        cells = self.column(head).tolist() if self._records is None else [one.get(head) for one in self._records]
        for part in rest.split("."):
            found = [_inside(one, part) for one in cells]
            if cells and found.count(_ABSENT) == len(found):
                keys = list(dict.fromkeys(chain.from_iterable([one for one in cells if isinstance(one, dict)])))
                holds = f"It has: {listed(keys)}" if keys else "It holds no nested records"
                raise AnalysisError(f"there is no {shown(part)} in {head!r} of any row.{nearest(part, keys)} {holds}")
            cells = [None if one is _ABSENT else one for one in found]
            head = f"{head}.{part}"
        return analysis_rows.series_of(cells)

    def _split(self, name):
        """The longest column that the path begins with, and the rest of it."""
        at = name.rfind(".")
        while at > 0:
            if name[:at] in self.names:
                return name[:at], name[at + 1 :]
            at = name.rfind(".", 0, at)
        return None, name

    def numbers(self, name, notes, use):
        """A column's numbers as floats; what is no number is left out, and said so."""
        found = self.exact(name, notes, use)
        changed = analysis_rows.rounded(found)
        if changed:
            said = f"{rows(changed, 'have')} a whole number in {name!r} that is rounded"
            notes.add(f"{use} computes with floating-point numbers: {said}")
        return analysis_rows.numbers_of(found)[0]

    def exact(self, name, notes, use):
        """A column's numbers, whole ones whole; what is no number is left out, and said so."""
        found, wrong = analysis_rows.exact_of(self.column(name))
        if wrong and found.notna().sum() == 0:
            kind = analysis_rows.kind_of(self.column(name))
            raise AnalysisError(
                f"{use} needs numbers, and {name!r} holds {_KINDS[kind]}. Columns with numbers: {listed(self.numeric())}"
            )
        if wrong:
            notes.add(f"{rows(wrong, 'have')} no number in {name!r} although others do; {use} left them out")
        return found

    def numeric(self):
        """The names of the columns that hold numbers."""
        return [one for one in self.names if analysis_rows.kind_of(self.column(one)) == "number"]

    def dates(self, name):
        """A column's values as times in UTC and how many are no times; None if none of them is."""
        if name not in self._dates:
            self._dates[name] = dates_of(self.column(name))
        return self._dates[name]

    def frame(self, names=None):
        """The columns, or some of them, as a frame."""
        import pandas

        names = self.names if names is None else names
        if self._records is None and all(one in self._frame.columns for one in names):
            return self._frame[names]
        columns = {one: self.column(one) for one in names}
        return pandas.DataFrame(columns, index=pandas.RangeIndex(self.count), columns=None if columns else [])

    def taken(self, positions):
        """The rows at these positions, in this order."""
        if self._records is not None:
            rows = self._records
            return Table(records=[rows[at] for at in positions])
        return Table(self._frame.take(positions).reset_index(drop=True))

    def records(self):
        """All rows as plain dicts."""
        if self._records is not None:
            return analysis_rows.plain_records(self._records)
        return analysis_rows.records_of(self._frame)

    def record(self, at):
        return self.taken([at]).records()[0]


_ABSENT = object()
_KINDS = {
    "number": "numbers", "boolean": "true and false", "text": "text", "date": "dates", "duration": "durations",
    "mixed": "values of several kinds", "nested": "lists or objects", "empty": "nothing",
}


def holds(series):
    """What a column holds, in words."""
    return _KINDS[analysis_rows.kind_of(series)]


def _inside(value, part):
    if isinstance(value, dict):
        return value.get(part, _ABSENT)
    if isinstance(value, list) and part.isdigit() and len(part) < 10:
        return value[int(part)] if int(part) < len(value) else _ABSENT
    return _ABSENT


def is_date(value):
    """Whether a text is written like an ISO date or time."""
    return isinstance(value, str) and len(value) <= 40 and _ISO.fullmatch(value.strip()) is not None


def zone_of(text):
    """The zone at the end of an ISO time, as it is written, or nothing."""
    found = _ZONED.fullmatch(text.strip())
    return found[2] if found else ""


def local_of(text):
    """An ISO time without its zone; any other text as it is."""
    found = _ZONED.fullmatch(text.strip())
    return found[1] if found else text


def date_of(value):
    """A text or time as a time in UTC, or None if it is none."""
    import pandas

    try:
        found = pandas.to_datetime(value, utc=True, errors="coerce", **({"format": "ISO8601"} if isinstance(value, str) else {}))
    except (ValueError, TypeError, OverflowError):
        return None
    return None if found is pandas.NaT else found


def dates_of(series):
    """A column's values as times in UTC and how many are no times; None if none of them is.

    Times without a zone are taken as UTC.
    """
    import pandas

    kind = analysis_rows.kind_of(series)
    if kind == "date":
        return (series.dt.tz_localize("UTC") if series.dt.tz is None else series.dt.tz_convert("UTC")), 0
    if kind not in ("text", "mixed"):
        return None
    texts = series if kind == "text" else series.where(series.map(lambda one: isinstance(one, str)), None)
    # Most columns of text are none, and a few of their values say so at once.
    if not any(is_date(one) for one in texts.dropna().head(_SURELY)):
        return None
    found = pandas.to_datetime(texts, utc=True, errors="coerce", format="ISO8601")
    good = int(found.notna().sum())
    return (found, int(series.notna().sum()) - good) if good else None


def instants_of(series):
    """A column of texts as the times they are ordered by; None where they are ordered as texts.

    Times they are where each of them is an ISO date or time, and they are not written so much
    alike (one length, one zone or none) that the order is the same anyway. What has no zone is UTC.
    """
    import pandas

    if analysis_rows.kind_of(series) != "text":
        return None
    codes, texts = pandas.factorize(series)
    texts = texts.tolist()
    if not is_date(texts[0]) or not all(map(is_date, texts)):
        return None
    if len({(len(one), one[10:11], "Z" if one[-1] == "Z" else zone_of(one)) for one in texts}) == 1:
        return None
    found = pandas.to_datetime(pandas.Series(texts), utc=True, errors="coerce", format="ISO8601").dt.tz_localize(None)
    return None if found.isna().any() else found.reindex(codes).reset_index(drop=True).set_axis(series.index)


def since_1970(series, notes):
    """A column of numbers as times in UTC, in microseconds; those that no calendar has are missing."""
    import pandas

    values = analysis_rows.numbers_of(series)[0]
    largest = values.abs().max()
    unit = "s" if largest < 1e11 else "ms" if largest < 1e14 else "us" if largest < 1e17 else "ns"
    word, factor = _UNITS[unit]
    notes.add(f"{series.name!r} holds numbers, read as {word} since 1970")
    micros = values * factor
    micros = micros.where(micros.between(*_CALENDAR)).round()
    found = micros.fillna(0).astype("int64").to_numpy().astype("datetime64[us]")
    return pandas.Series(found).mask(micros.isna().to_numpy()).dt.tz_localize("UTC")
