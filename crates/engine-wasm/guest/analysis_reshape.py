"""Steps that change the shape of a table: join, pivot, unpivot."""

from _tidegate import analysis_aggregate, analysis_rows
from _tidegate import analysis_check as check
from _tidegate.analysis_check import AnalysisError, listed, rows
from _tidegate.analysis_table import Table, holds

_HOWS = ("inner", "left", "right", "outer")
_MOST_ROWS = 5_000_000
_MOST_COLUMNS = 1000

JOIN = {
    "with": check.anything, "data_field": check.text, "how": check.one_of(*_HOWS), "on": check.texts, "left_on": check.texts,
    "right_on": check.texts, "suffix": check.text,
}
PIVOT = {
    "index": check.texts, "columns": check.name, "values": check.texts, "function": analysis_aggregate.function,
    "fill": check.anything,
}
UNPIVOT = {"keep": check.texts, "fields": check.texts, "names_to": check.text, "values_to": check.text}


def check_join(step, where):
    """Sees to it that a join has its keys."""
    if "on" in step:
        if "left_on" in step or "right_on" in step:
            raise AnalysisError(f"{where} (join) takes 'on', or 'left_on' and 'right_on', not both")
    elif "left_on" not in step or "right_on" not in step:
        raise AnalysisError(f"{where} (join) needs 'on', or 'left_on' and 'right_on'")
    elif len(step["left_on"]) != len(step["right_on"]):
        raise AnalysisError(f"{where} (join): 'left_on' and 'right_on' must name equally many columns")


def other(work, step):
    """The table that a join puts beside the rows."""
    return work.other(step["with"], step.get("data_field"))


def join(work, step):
    """Rows of two tables side by side where their keys are equal; a missing key equals none."""
    import numpy
    import pandas

    left, right = work.table, other(work, step)
    lefts, rights = step.get("on") or step["left_on"], step.get("on") or step["right_on"]
    keys = [_keys(table, names) for table, names in ((left, lefts), (right, rights))]
    for at, (name, its) in enumerate(zip(lefts, rights)):
        kinds = {analysis_rows.kind_of(one[at]) for one in keys} - {"empty", "mixed"}
        if len(kinds) == 2 and kinds != {"number", "boolean"}:
            raise AnalysisError(
                f"{name!r} holds {holds(keys[0][at])} and {its!r} of the other source {holds(keys[1][at])}; 'cast' one of them"
            )
    codes = _codes(keys, len(left))
    how = step.get("how", "inner")
    counts = [numpy.bincount(one[one >= 0], minlength=max(max(map(len, codes)), 1) * 2 + 2) for one in codes]
    size = int((counts[0].astype(float) * counts[1]).sum())
    if size > _MOST_ROWS:
        raise AnalysisError(f"the join would have {size} rows, because keys repeat on both sides; at most {_MOST_ROWS} are made")
    if ((counts[0] > 1) & (counts[1] > 1)).any():
        work.notes.add("keys of the join repeat on both sides, so their rows are paired with each other")
    sides = []
    for one, name in zip(codes, ("left", "right")):
        # A key that is missing gets a number that the other side does not have.
        lonely = numpy.arange(len(one)) * -2 - (2 if name == "left" else 3)
        sides.append(pandas.DataFrame({"key": numpy.where(one < 0, lonely, one), name: numpy.arange(len(one))}))
    pairs = sides[0].merge(sides[1], on="key", how=how, sort=False)
    if how == "outer":
        pairs = pairs.sort_values(["left", "right"], kind="stable", na_position="last")
    return Table(_side_by_side(left, right, pairs, step))


def _keys(table, names):
    if not len(table) and not table.names:
        # Nothing is known of them.
        return [analysis_rows.series_of([]) for _ in names]
    return [table.column(one) for one in names]


def _codes(keys, split):
    """One number for the key of each row, the same on both sides; -1 where it is missing."""
    import pandas

    together = None
    for left, right in zip(*keys):
        left, right = analysis_rows.keyed(left), analysis_rows.keyed(right)
        if left.dtype != right.dtype:
            kinds = {left.dtype.kind, right.dtype.kind}
            alike = kinds <= set("iubf") and not (analysis_rows.has_big(left) or analysis_rows.has_big(right))
            dtype = "Int64" if kinds <= set("iub") else "float64" if alike else "object"
            left, right = left.astype(dtype), right.astype(dtype)
        found = pandas.factorize(pandas.concat([left, right], ignore_index=True))[0]
        if together is None:
            together = found
        else:
            gone = (together < 0) | (found < 0)
            together = pandas.factorize(together.astype("int64") * (int(found.max(initial=0)) + 1) + found)[0]
            together[gone] = -1
    return together[:split], together[split:]


def _side_by_side(left, right, pairs, step):
    """The columns of both, with the keys once where they have one name."""
    import pandas

    shared = step.get("on", [])
    suffix = step.get("suffix", "_right")
    made = {}
    for name in left.names:
        made[name] = _placed(left.column(name), pairs["left"])
    for name in right.names:
        other = _placed(right.column(name), pairs["right"])
        if name in shared and name in made:
            if pairs["left"].isna().any():
                made[name] = _filled(made[name], other)
            continue
        called = name + suffix if name in left.names else name
        if called in made:
            raise AnalysisError(f"the join makes two columns called {called!r}; rename one, or give another 'suffix'")
        made[called] = other
    return pandas.DataFrame(made, index=range(len(pairs)))


def _placed(series, positions):
    """The values at these rows; missing where there is no row."""
    missing = positions.isna()
    if not missing.any():
        return series.iloc[positions.to_numpy(dtype="int64")].reset_index(drop=True)
    return analysis_rows.nullable(series).reindex(positions.to_numpy(dtype="float64")).reset_index(drop=True)


def _filled(left, right):
    if left.dtype == right.dtype:
        return left.where(left.notna(), right)
    cells = zip(analysis_rows.cells_of(left), analysis_rows.cells_of(right))
    return analysis_rows.series_of([other if one is None else one for one, other in cells])


def pivot(work, step):
    """A row for each index, a column for each value of `columns`."""
    import pandas

    table = work.table
    index, across = step["index"], step["columns"]
    if not len(table):
        for name in [*index, across, *step.get("values", [])]:
            table.column(name)
        # What it makes columns of are values.
        return Table(records=[])
    values = step.get("values") or [one for one in table.numeric() if one not in [*index, across]]
    if not values:
        raise AnalysisError(f"'pivot' needs 'values'. Columns: {listed(table.names)}")
    ids, first = analysis_aggregate.groups(table, index)
    columns, heads = analysis_aggregate.groups(table, [across])
    if len(heads) * len(values) > _MOST_COLUMNS:
        raise AnalysisError(f"{across!r} has {len(heads)} different values, and a pivot makes at most {_MOST_COLUMNS} columns")
    names = [_label(one) for one in analysis_rows.cells_of(table.column(across).iloc[heads])]
    cells, place = _cells(ids, columns, len(heads))
    made = {name: table.column(name).iloc[first].reset_index(drop=True) for name in index}
    for value in values:
        found = analysis_aggregate.figure(table, value, step.get("function", "sum"), place, len(cells), work.notes)
        for at, name in enumerate(names):
            here = cells % len(heads) == at
            part = analysis_aggregate.spread(found[here].set_axis(cells[here] // len(heads)), len(first))
            called = name if len(values) == 1 else f"{value}_{name}"
            if called in made:
                raise AnalysisError(f"'pivot' makes two columns called {called!r}; rename one of {listed([*index, across])}")
            made[called] = _with_fill(part, step.get("fill"))
    return Table(pandas.DataFrame(made, index=range(len(first))))


def _cells(ids, columns, width):
    """The cells that have rows, and for each row the number of its cell."""
    import numpy

    # Indexes may have 32 bits only.
    return numpy.unique(ids.astype("int64") * width + columns, return_inverse=True)


def _label(value):
    import json

    return value if type(value) is str else json.dumps(value, ensure_ascii=False)


def _with_fill(series, fill):
    if fill is None or not series.hasnans:
        return series
    return analysis_rows.series_of([fill if one is None else one for one in analysis_rows.cells_of(series)])


def unpivot(work, step):
    """A row for each of several columns, with the column's name and its value."""
    import pandas

    table = work.table
    keep = step.get("keep", [])
    fields = step.get("fields") or [one for one in table.names if one not in keep]
    keep = keep if "keep" in step else [one for one in table.names if one not in fields]
    names_to, values_to = step.get("names_to", "name"), step.get("values_to", "value")
    analysis_aggregate.distinct([*keep, names_to, values_to], "'unpivot'", "give another 'names_to' or 'values_to'")
    if not fields:
        raise AnalysisError(f"'unpivot' needs 'fields'. Columns: {listed(table.names)}")
    if len(table) * len(fields) > _MOST_ROWS:
        raise AnalysisError(f"'unpivot' would make {rows(len(table) * len(fields))}; at most {_MOST_ROWS} are made")
    columns = [table.column(one) for one in fields]
    if len({str(one.dtype) for one in columns}) == 1:
        values = pandas.concat(columns, ignore_index=True)
    else:
        values = analysis_rows.series_of([cell for one in columns for cell in analysis_rows.cells_of(one)])
    made = {one: pandas.concat([table.column(one)] * len(fields), ignore_index=True) for one in keep}
    made[names_to] = analysis_rows.series_of([one for one in fields for _ in range(len(table))])
    made[values_to] = values
    return Table(pandas.DataFrame(made))
