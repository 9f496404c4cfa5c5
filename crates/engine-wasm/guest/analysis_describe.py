"""What a table's columns hold: figures for numbers, frequent values for text, what stands out."""

import math

from _tidegate import analysis_aggregate, analysis_rows
from _tidegate import analysis_check as check
from _tidegate.analysis_check import AnalysisError

_MOST_FIELDS = 1000

PARAMETERS = {
    "fields": check.texts, "percentiles": check.percents, "top": check.whole, "outliers": check.boolean,
    "iqr_factor": check.number, "z_threshold": check.number, "samples": check.whole,
}


def prepare(parameters):
    """The checked parameters of a description."""
    return check.parameters(parameters, PARAMETERS, "describe")


def compute(work, plan):
    table = work.table
    names = plan.get("fields") or table.names
    if len(names) > _MOST_FIELDS:
        raise AnalysisError(f"there are {len(names)} columns; name at most {_MOST_FIELDS} of them in 'fields'")
    if not len(table):
        return {"result": {"rows": 0, "fields": {}}}
    return {"result": {"rows": len(table), "fields": {name: _field(work, name, plan) for name in names}}}


# What people read first, in this order.
_FIGURES = ("type", "count", "missing", "unique", "mean", "std", "min", "q1", "median", "q3", "max")


def as_rows(found):
    """A description as rows, one for each column, with what of it fits on a line."""
    made = []
    for name, about in found["fields"].items():
        ends = {"min": about.get("earliest"), "max": about.get("latest")}
        row = {"field": name, **{one: about.get(one, ends.get(one)) for one in _FIGURES}}
        row["outliers"] = about.get("outliers", {}).get("iqr", {}).get("count")
        top = about.get("top", [])[:1]
        row["top"] = f"{top[0]['value']} ({top[0]['count']})" if top else None
        made.append(row)
    # What no column has says nothing.
    names = [one for one in (made or [{}])[0] if any(row[one] is not None for row in made)]
    return [{one: row[one] for one in names} for row in made]


def _field(work, name, plan):
    series = work.table.column(name)
    kind = analysis_rows.kind_of(series)
    keyed = analysis_rows.keyed(series)
    found = {
        "type": kind,
        "count": int(series.notna().sum()),
        "missing": int(series.isna().sum()),
        "unique": int(keyed.nunique()),
    }
    if kind == "mixed":
        found["types"] = _kinds(series)
    if kind == "number" or kind == "mixed" and {"number"} & set(found["types"]):
        found.update(_numbers(work, name, plan))
    if kind in ("text", "boolean", "mixed"):
        found["top"] = _top(keyed, plan.get("top", 5))
    if kind == "text":
        lengths = series.str.len()
        found.update(min_length=int(lengths.min()), max_length=int(lengths.max()), mean_length=float(lengths.mean()))
    dated = work.table.dates(name) if kind in ("text", "date") else None
    if dated is not None and not dated[1]:
        found.update(earliest=dated[0].min(), latest=dated[0].max())
    return found


def _kinds(series):
    counts = {}
    for one in series.dropna().tolist():
        name = check.kind(one)
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))


def _top(keyed, count):
    """The most frequent values; of equally frequent ones the first in the data."""
    found = keyed.value_counts(sort=False)
    found = found.sort_values(ascending=False, kind="stable").head(count)
    return [{"value": value, "count": int(times)} for value, times in zip(found.index.tolist(), found.tolist())]


def _numbers(work, name, plan):
    # Added to nothing, zero has no sign.
    values = work.table.numbers(name, work.notes, "'describe'").dropna() + 0.0
    exact = analysis_rows.exact_of(work.table.column(name))[0].dropna()
    low, middle, high = values.quantile([0.25, 0.5, 0.75]).tolist()
    found = {
        "sum": analysis_aggregate.total(exact),
        "mean": float(values.mean()),
        "std": float(values.std()),
        "min": exact.min() + 0,
        "max": exact.max() + 0,
        "q1": low,
        "median": middle,
        "q3": high,
        "iqr": high - low,
    }
    shares = plan.get("percentiles") or [0.05, 0.25, 0.5, 0.75, 0.95]
    found["percentiles"] = {check.percent_name(one): value for one, value in zip(shares, values.quantile(shares).tolist())}
    if plan.get("outliers", True):
        found["outliers"] = _outliers(work, values, exact, found, plan)
    return found


def _outliers(work, values, exact, found, plan):
    """What lies far from the middle half, and what lies many standard deviations from the mean."""
    factor, limit = plan.get("iqr_factor", 1.5), plan.get("z_threshold", 3)
    low, high = found["q1"] - factor * found["iqr"], found["q3"] + factor * found["iqr"]
    outside = exact.loc[values.index[(values < low) | (values > high)]]
    made = {"iqr": {"factor": factor, "lower": low, "upper": high, **_samples(work, outside, plan)}}
    std = found["std"]
    scores = (values - found["mean"]) / std if std and math.isfinite(std) else values * 0
    made["zscore"] = {"threshold": limit, **_samples(work, exact.loc[values.index[scores.abs() > limit]], plan)}
    return made


def _samples(work, outside, plan):
    some = outside.head(plan.get("samples", 5))
    return {
        "count": len(outside),
        "samples": [{"index": work.index(at), "value": value} for at, value in zip(some.index.tolist(), some.tolist())],
    }
