"""Values over time: buckets, moving figures, changes, gaps, and what recurs.

Rows are put in the order of their time. `resample` comes first; `rolling`, `diff` and
`pct_change` are then columns beside what it made. Gaps and seasons are those of the rows
themselves. Buckets are called by their start. Times without a zone are taken as UTC.
"""

import re

from _tidegate import analysis_aggregate, analysis_rows, analysis_table
from _tidegate import analysis_check as check
from _tidegate.analysis_check import AnalysisError, listed, rows, shown
from _tidegate.analysis_table import Table

_UNITS = {
    "s": ("s", "sec", "second", "seconds"),
    "min": ("min", "t", "minute", "minutes"),
    "h": ("h", "hourly", "hour", "hours"),
    "D": ("d", "daily", "day", "days"),
    "W": ("w", "weekly", "week", "weeks"),
    "MS": ("m", "ms", "month", "months", "monthly"),
    "QS": ("q", "qs", "quarter", "quarters", "quarterly"),
    "YS": ("y", "ys", "year", "years", "yearly"),
}
_SECONDS = {"s": 1, "min": 60, "h": 3600, "D": 86_400, "W": 604_800, "MS": 2_419_200, "QS": 7_776_000, "YS": 31_536_000}
_MOST_BUCKETS = 1_000_000
_ROLLING = ("mean", "sum", "min", "max", "median", "std", "var", "count")
_SEASONS = {"hour": "hour", "weekday": "day_of_week", "month": "month"}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def frequency(value, where):
    """A frequency such as "1h" or "month" as a count and a unit."""
    found = re.fullmatch(r"\s*(\d{0,6})\s*([A-Za-z]+)\s*", value) if isinstance(value, str) else None
    word = found[2].lower() if found else None
    unit = next((one for one, words in _UNITS.items() if word in words), None)
    if unit is None or found[1] and not int(found[1]):
        valid = 'a count and s, min, h, day, week, month, quarter or year, such as "15min"'
        raise AnalysisError(f"{where} is {shown(value)}. Valid: {valid}")
    return int(found[1] or 1), unit


def _resample(value, where):
    if isinstance(value, str):
        value = {"frequency": value}
    found = check.parameters(value, {"frequency": frequency, "function": analysis_aggregate.function}, where, ("frequency",))
    return {"function": "mean", **found}


def _rolling(value, where):
    if isinstance(value, (int, str)):
        value = {"window": value}
    found = check.parameters(
        value, {"window": _window, "function": check.one_of(*_ROLLING), "min_rows": check.positive}, where, ("window",)
    )
    return {"function": "mean", **found}


def _window(value, where):
    if not isinstance(value, str):
        return check.positive(value, where)
    count, unit = frequency(value, where)
    if unit in ("MS", "QS", "YS"):
        raise AnalysisError(f"{where} must be a number of rows, or a time of fixed length such as \"7 days\", not {shown(value)}")
    return f"{count * 7}D" if unit == "W" else f"{count}{unit}"


def _periods(value, where):
    return 1 if value is True else check.positive(value, where) if value is not False else 0


def _gaps(value, where):
    if isinstance(value, str):
        value = {"frequency": value}
    return check.parameters(value, {"frequency": frequency, "most": check.whole}, where, ("frequency",))


def _seasonal(value, where):
    if isinstance(value, (str, list)):
        value = {"by": value}
    found = check.parameters(value, {"by": check.texts, "function": analysis_aggregate.function}, where, ("by",))
    for one in found["by"]:
        check.choice(one, _SEASONS, f"'by' of {where}")
    return {"function": "mean", **found}


PARAMETERS = {
    "time_field": check.name, "fields": check.texts, "timezone": check.text, "resample": _resample, "rolling": _rolling,
    "diff": _periods, "pct_change": _periods, "gaps": _gaps, "seasonal": _seasonal,
}


def prepare(parameters):
    """The checked parameters of a time series."""
    return check.parameters(parameters, PARAMETERS, "timeseries", ("time_field",))


def compute(work, plan):
    if not len(work.table):
        return {"result": {"start": None, "end": None, "points": 0}}
    for name in plan.get("fields", ()):
        work.table.column(name)
    times, table = _in_order(work, plan)
    fields = plan.get("fields") or [one for one in table.numeric() if one != plan["time_field"]]
    steps = times.diff().dt.total_seconds().iloc[1:]
    result = {
        "start": _shown([times.iloc[0]])[0],
        "end": _shown([times.iloc[-1]])[0],
        "points": len(times),
        "median_interval_seconds": steps.median() if len(steps) else None,
    }
    same = int((steps == 0).sum())
    if same:
        work.notes.add(f"{rows(same, 'have')} the same time as the one before")
    changes = [one for one in ("rolling", "diff", "pct_change") if plan.get(one)]
    if "resample" in plan or changes:
        if not fields:
            raise AnalysisError(f"there are no numbers beside the time; name 'fields'. Columns: {listed(table.names)}")
        result["rows"] = analysis_rows.records_of(_series(work, plan, table, times, fields))
    if "gaps" in plan:
        result["gaps"] = _found_gaps(times, plan["gaps"])
    if "seasonal" in plan:
        result["seasonal"] = _seasons(work, plan["seasonal"], table, times, fields)
    return {"result": result}


def _in_order(work, plan):
    """The times, ascending, and the rows in that order; those without a time are left out."""
    import numpy
    import pandas

    times = _times(work, plan["time_field"])
    missing = int(times.isna().sum())
    if missing:
        work.notes.add(f"{rows(missing, 'were')} left out, without a time in {plan['time_field']!r}")
    if missing == len(times):
        raise AnalysisError(f"no row has a time in {plan['time_field']!r}")
    if plan.get("timezone"):
        try:
            times = (times.dt.tz_localize("UTC") if times.dt.tz is None else times).dt.tz_convert(plan["timezone"])
        except (ValueError, LookupError, OSError):
            raise AnalysisError(f"there is no time zone {shown(plan['timezone'])}; write one such as Europe/Berlin") from None
    plain = times if times.dt.tz is None else times.dt.tz_convert("UTC").dt.tz_localize(None)
    # What is missing comes last.
    order = numpy.argsort(plain.to_numpy(), kind="stable")[: len(times) - missing]
    return pandas.Series(times.iloc[order].array), work.table.taken(order)


def _times(work, name):
    """Times from ISO texts, or from seconds or milliseconds since 1970."""
    table = work.table
    series = table.column(name)
    if analysis_rows.kind_of(series) == "number":
        return analysis_table.since_1970(series, work.notes)
    dated = table.dates(name)
    if dated is None:
        said = f"{name!r} holds {analysis_table.holds(series)}, no times such as 2024-05-01 or 2024-05-01T12:00:00Z"
        raise AnalysisError(f"{said}. Columns: {listed(table.names)}")
    first = series.dropna().iloc[0]
    # Times that came without a zone go out without one.
    zoned = analysis_table.zone_of(first) if isinstance(first, str) else getattr(first, "tzinfo", None)
    return dated[0] if zoned else dated[0].dt.tz_localize(None)


def _shown(times):
    return [one.isoformat() for one in times]


# --- rows over time -----------------------------------------------------------------------------------


def _series(work, plan, table, times, fields):
    """The values, resampled if asked, with moving figures and changes beside them."""
    import pandas

    made = {plan["time_field"]: times}
    if "resample" in plan:
        starts, ids = _buckets(times, plan["resample"]["frequency"])
        made = {plan["time_field"]: starts}
        for field in fields:
            made[field] = analysis_aggregate.figure(table, field, plan["resample"]["function"], ids, len(starts), work.notes)
    else:
        for field in fields:
            made[field] = table.column(field)
    frame = pandas.DataFrame(made)
    source = Table(frame)
    for field in fields:
        if not any(plan.get(one) for one in ("rolling", "diff", "pct_change")):
            break
        exact = source.exact(field, work.notes, "'timeseries'")
        if "rolling" in plan:
            values = source.numbers(field, work.notes, "'timeseries'")
            frame[f"{field}_rolling_{plan['rolling']['function']}"] = _rolled(values, frame.iloc[:, 0], plan["rolling"])
        if plan.get("diff"):
            frame[f"{field}_diff"] = _difference(exact, plan["diff"])
        if plan.get("pct_change"):
            values = source.numbers(field, work.notes, "'timeseries'")
            frame[f"{field}_pct_change"] = values.pct_change(plan["pct_change"], fill_method=None)
    return frame


def _difference(exact, periods):
    """The change from so many rows before, of whole numbers that floats would round as they are."""
    if not analysis_rows.has_big(exact):
        return analysis_rows.numbers_of(exact)[0].diff(periods)
    cells = analysis_rows.cells_of(exact)
    pairs = zip(cells, [None] * min(periods, len(cells)) + cells)
    return analysis_rows.series_of([None if None in pair else pair[0] - pair[1] for pair in pairs])


def _rolled(values, times, asked):
    window = asked["window"]
    least = asked.get("min_rows", 1 if isinstance(window, str) else window)
    if isinstance(window, int) and least > window:
        raise AnalysisError(f"'min_rows' of 'rolling' is {least}, more than the window of {window}")
    series = values if isinstance(window, int) else values.set_axis(times)
    found = getattr(series.rolling(window, min_periods=least), asked["function"])()
    return found.reset_index(drop=True)


def _starts(first, last, asked):
    """The starts of all buckets from the one that `first` is in."""
    import pandas

    count, unit = asked
    length = int((last - first).total_seconds() / (_SECONDS[unit] * count))
    if length > _MOST_BUCKETS:
        span = f"from {first.isoformat()} to {last.isoformat()}"
        raise AnalysisError(f"{span} there are about {length} buckets; at most {_MOST_BUCKETS} are made")
    spans = {"D": "D", "W": "W-SUN", "MS": "M", "QS": "Q", "YS": "Y"}
    if unit not in spans:
        # Hours and less are counted from midnight, and pass evenly also when the clock is changed.
        midnight, step = first.normalize(), pandas.Timedelta(count, unit)
        return pandas.date_range(midnight + (first - midnight) // step * step, last, freq=f"{count}{unit}")
    start = first.tz_localize(None).to_period(spans[unit]).start_time
    found = pandas.date_range(start, last.tz_localize(None), freq=f"{count}{'W-MON' if unit == 'W' else unit}")
    return found if first.tz is None else found.tz_localize(first.tz, ambiguous=True, nonexistent="shift_forward")


def _buckets(times, asked):
    """The starts of the buckets, and for each time the number of its own."""
    import pandas

    starts = _starts(times.iloc[0], times.iloc[-1], asked)
    ids = starts.searchsorted(times, side="right") - 1
    return pandas.Series(starts), ids.clip(0)


# --- gaps and seasons -----------------------------------------------------------------------------------


def _found_gaps(times, asked):
    """Where more time passes between two rows than expected."""
    import numpy
    import pandas

    count, unit = asked["frequency"]
    distinct = times.drop_duplicates().reset_index(drop=True)
    if unit in ("MS", "QS", "YS"):
        months = count * {"MS": 1, "QS": 3, "YS": 12}[unit]
        # Months are counted by the calendar, whatever the day in them.
        missing = numpy.ceil(_months(distinct) / months) - 1
    else:
        step = pandas.Timedelta(count, unit)
        missing = numpy.ceil(distinct.diff().shift(-1) / step - 1e-9) - 1
    late = numpy.flatnonzero((missing > 0).to_numpy())
    most = asked.get("most", 100)
    listed_gaps = [
        {
            "after": distinct[at].isoformat(),
            "before": distinct[at + 1].isoformat(),
            "seconds": (distinct[at + 1] - distinct[at]).total_seconds(),
            "missing": int(missing[at]),
        }
        for at in late[:most].tolist()
    ]
    absent = int(missing[late].sum())
    return {"frequency": f"{count} {_UNITS[unit][2]}", "count": len(late), "missing": absent, "gaps": listed_gaps}


def _months(times):
    """Months from each time to the next."""
    number = times.dt.year * 12 + times.dt.month
    return number.diff().shift(-1)


def _seasons(work, asked, table, times, fields):
    """Figures by hour of the day, day of the week or month of the year."""
    import numpy
    import pandas

    made = {}
    for season in asked["by"]:
        parts = getattr(times.dt, _SEASONS[season]).to_numpy()
        numbers, ids = numpy.unique(parts, return_inverse=True)
        columns = {season: pandas.Series(numbers)}
        if season == "weekday":
            columns["name"] = pandas.Series([_WEEKDAYS[one] for one in numbers.tolist()])
        columns["rows"] = pandas.Series(numpy.bincount(ids))
        for field in fields:
            columns[field] = analysis_aggregate.figure(table, field, asked["function"], ids, len(numbers), work.notes)
        made[season] = analysis_rows.records_of(pandas.DataFrame(columns))
    return made
