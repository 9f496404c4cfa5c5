"""Groups of rows, and figures for each of them.

Rows get the number of their group once (`groups`), in the order of the keys; every figure
is then made from a column and these numbers (`figure`). Pivoting and resampling use the
same figures. Groups with a missing key are groups like others and come last.
"""

from _tidegate import analysis_check as check
from _tidegate import analysis_filter, analysis_rows, analysis_table
from _tidegate.analysis_check import AnalysisError, shown

FUNCTIONS = ("sum", "mean", "median", "min", "max", "count", "std", "var", "first", "last", "nunique")
_WORDS = {
    "avg": "mean", "average": "mean", "total": "sum", "minimum": "min", "maximum": "max", "stddev": "std", "stdev": "std",
    "variance": "var", "distinct": "nunique", "count_distinct": "nunique", "unique": "nunique", "size": "count",
}
# A sum of whole numbers below this cannot leave 64 bits.
_SAFE = 1 << 63


# --- what is asked for --------------------------------------------------------------------------


def function(value, where):
    """A function as its name, or ("percentile", share)."""
    if isinstance(value, dict) and list(value) == ["percentile"]:
        return "percentile", check.percent(value["percentile"], f"'percentile' of {where}")
    if isinstance(value, str):
        folded = value.strip().lower().replace(" ", "_").replace("-", "_")
        folded = _WORDS.get(folded, folded)
        if folded in FUNCTIONS:
            return folded
        if folded[:1] == "p" and folded[1:].replace(".", "", 1).isdigit():
            return "percentile", check.percent(folded, where)
    near = check.nearest(value, [*FUNCTIONS, *_WORDS])
    raise AnalysisError(f'{where} is {shown(value)}.{near} Valid: {check.listed(FUNCTIONS)}, "p95", {{"percentile": 0.95}}')


def function_name(made):
    return made if isinstance(made, str) else check.percent_name(made[1])


_ONE = {"field": check.name, "function": check.anything, "as": check.text, "percentile": check.percent}


def aggregations(value, where="aggregations"):
    """What to compute, as triples of a field or None, a function and the name of the result."""
    asked = []
    if isinstance(value, dict) and "function" not in value:
        for field, names in value.items():
            for one in names if isinstance(names, (list, tuple)) else [names]:
                asked.append((check.name(field, f"a field in {where}"), function(one, f"a function for {field!r}"), None))
    else:
        for at, one in enumerate(check.several(value, f"'{where}'")):
            asked.append(_asked(one, f"{where}[{at}]"))
    made = []
    for field, name, called in asked:
        field = None if field == "*" else field
        if field is None and name != "count":
            raise AnalysisError(f"'{function_name(name)}' in {where} needs a 'field'; only 'count' can do without")
        made.append((field, name, called or ("count" if field is None else f"{field}_{function_name(name)}")))
    return made


def _asked(one, where):
    found = check.parameters(one, _ONE, where)
    asked = found.get("function", "percentile" if "percentile" in found else None)
    if asked is None:
        raise AnalysisError(f"{where} needs 'function': {check.listed(FUNCTIONS)}")
    if asked in ("percentile", "quantile"):
        if "percentile" not in found:
            raise AnalysisError(f"{where} needs 'percentile', such as 0.95")
        made = ("percentile", found["percentile"])
    else:
        made = function(asked, f"'function' of {where}")
    return found.get("field"), made, found.get("as")


def distinct(names, where, advice="name one with 'as'"):
    """Refuses two results of one name."""
    repeated = next((one for at, one in enumerate(names) if one in names[:at]), None)
    if repeated is not None:
        raise AnalysisError(f"{where} makes two columns called {repeated!r}; {advice}")


# --- groups and figures ---------------------------------------------------------------------------


def groups(table, names):
    """For each row the number of its group, and the first row of each group."""
    import numpy
    import pandas

    if not names:
        return numpy.zeros(len(table), "intp"), numpy.zeros(min(len(table), 1), "intp")
    together = numpy.zeros(len(table), "int64")
    for name in names:
        found, count = _numbered(table.column(name))
        found = numpy.where(found < 0, count, found)
        # Numbered anew each time, so that many keys do not leave 64 bits, also where indexes have 32.
        together = pandas.factorize(together.astype("int64") * (count + 1) + found, sort=True)[0]
    first = numpy.unique(together, return_index=True)[1]
    return together, first


def _numbered(series):
    """The values numbered in their order, -1 where one is missing, and how many there are."""
    import numpy
    import pandas

    found, values = pandas.factorize(analysis_filter.sortable(series), sort=True)
    times = analysis_table.instants_of(series)
    if times is not None:
        # Texts that say one time in two ways are two keys, one after the other.
        numbers, first = numpy.unique(found, return_index=True)
        order = numpy.argsort(times.to_numpy()[first[numbers >= 0]], kind="stable")
        found = numpy.where(found < 0, -1, numpy.argsort(order)[found])
    return found, len(values)


def figure(table, field, made, ids, count, notes):
    """One figure for each of `count` groups, as a column."""
    found = _figure(table, field, made, ids, count, notes)
    # Added to nothing, zero has no sign.
    return found + 0.0 if found.dtype.kind == "f" else found


def _figure(table, field, made, ids, count, notes):
    import numpy
    import pandas

    if field is None:
        return pandas.Series(numpy.bincount(ids, minlength=count))
    series = table.column(field)
    if made == "count":
        return pandas.Series(numpy.bincount(ids[series.notna().to_numpy()], minlength=count))
    if made in ("first", "last"):
        return _outermost(series, made, ids, count)
    if made == "nunique":
        return analysis_rows.keyed(series).groupby(ids).nunique().reindex(range(count), fill_value=0)
    if made in ("min", "max"):
        return _extreme(table, field, made, ids, count, notes)
    if made == "sum":
        return _sum(table, field, ids, notes).reindex(range(count), fill_value=0)
    grouped = table.numbers(field, notes, f"'{function_name(made)}'").groupby(ids)
    found = getattr(grouped, made)() if isinstance(made, str) else grouped.quantile(made[1])
    return found.reindex(range(count))


def _outermost(series, made, ids, count):
    import numpy

    present = numpy.flatnonzero(series.notna().to_numpy())
    if made == "last":
        present = present[::-1]
    numbers, at = numpy.unique(ids[present], return_index=True)
    found = series.iloc[present[at]]
    found.index = numbers
    return spread(found, count)


def spread(series, count):
    """A column with a row for each of `count` groups, missing where it has none."""
    return (analysis_rows.nullable(series) if len(series) < count else series).reindex(range(count))


def _extreme(table, field, made, ids, count, notes):
    import numpy
    import pandas

    series = table.column(field)
    kind = analysis_rows.kind_of(series)
    if kind == "nested":
        raise AnalysisError(f"'{made}' cannot order {field!r}, which holds {analysis_table.holds(series)}")
    if kind == "mixed" or kind == "number" and series.dtype.kind == "O":
        series = table.exact(field, notes, f"'{made}'")
    if series.dtype.kind in "iuf":
        return spread(getattr(series.groupby(ids), made)(), count)
    # Numbered in order, so that texts and dates are as quick as numbers.
    times = analysis_table.instants_of(series)
    found = pandas.factorize(series if times is None else times, sort=True)[0]
    present = numpy.flatnonzero(found >= 0)
    order = numpy.lexsort((found[present] if made == "min" else -found[present], ids[present]))
    numbers, at = numpy.unique(ids[present][order], return_index=True)
    return spread(series.iloc[present[order][at]].set_axis(numbers), count)


def _sum(table, field, ids, notes):
    series = table.exact(field, notes, "'sum'")
    if series.dtype.kind in "iu" and _fits(series):
        return series.groupby(ids).sum()
    if series.dtype.kind == "f" or _has_float(series):
        return table.numbers(field, notes, "'sum'").groupby(ids).sum()
    # Whole numbers of any size.
    series = series.astype("object")
    return series.where(series.notna(), 0).groupby(ids).agg(lambda some: sum(some.tolist())).astype("object")


def _fits(series):
    """Whether no sum of these whole numbers can leave 64 bits."""
    if not series.notna().any():
        return True
    return max(-int(series.min()), int(series.max())) < _SAFE // len(series)


def _has_float(series):
    return any(type(one) is float for one in series.dropna().array)


def total(series):
    """The sum of numbers: exact where all of them are whole."""
    present = series.dropna()
    if series.dtype.kind == "f" or series.dtype.kind == "O" and _has_float(present):
        return float(analysis_rows.numbers_of(present)[0].sum())
    return int(present.sum()) if series.dtype.kind in "iu" and _fits(present) else sum(present.tolist())


def frame(table, group_by, asked, notes):
    """A row for each group: its keys, then its figures."""
    import pandas

    ids, first = groups(table, group_by)
    columns = {}
    for name in group_by:
        columns[name] = table.column(name).iloc[first].reset_index(drop=True)
    for field, made, called in asked:
        columns[called] = figure(table, field, made, ids, len(first), notes)
    return pandas.DataFrame(columns, index=range(len(first)))


# --- the analysis -----------------------------------------------------------------------------------

PARAMETERS = {
    "group_by": check.texts, "aggregations": check.anything, "having": check.anything, "having_logic": check.anything,
    "sort": analysis_filter.sort, "limit": check.whole, "offset": check.whole,
}


def prepare(parameters, where="aggregate"):
    """The checked parameters of an aggregate."""
    plan = check.parameters(parameters, PARAMETERS, where)
    plan.setdefault("group_by", [])
    asked = plan.get("aggregations")
    if not asked and not plan["group_by"]:
        raise AnalysisError(f"""{where} needs 'aggregations', such as {{"amount": ["sum"]}}, or 'group_by'""")
    plan["aggregations"] = aggregations(asked) if asked else [(None, "count", "count")]
    distinct(plan["group_by"] + [one[2] for one in plan["aggregations"]], where)
    if plan.get("having") is not None:
        plan["having"] = analysis_filter.conditions(plan["having"], "having", plan.get("having_logic") or "AND")
    return plan


def compute(work, plan):
    return work.rows(made(work.table, plan, work.notes).records())


def made(table, plan, notes):
    """The table that an aggregate makes of another."""
    if len(table):
        found = analysis_table.Table(frame(table, plan["group_by"], plan["aggregations"], notes))
    else:
        found = _of_nothing(plan)
    found = analysis_filter.kept(found, plan.get("having"), notes)
    if plan.get("sort"):
        found = found.taken(analysis_filter.sorted_positions(found, plan["sort"]))
    if plan.get("limit") is not None or plan.get("offset"):
        found = found.taken(analysis_filter.cut(range(len(found)), plan))
    return found


def _of_nothing(plan):
    """The groups of no rows at all, which are none; ungrouped, the figures of no rows."""
    import pandas

    figures = {called: 0 if made in ("count", "sum", "nunique") else None for _, made, called in plan["aggregations"]}
    if not plan["group_by"]:
        return analysis_table.Table(records=[figures])
    names = [*plan["group_by"], *figures]
    return analysis_table.Table(pandas.DataFrame({one: analysis_rows.series_of([]) for one in names}))
