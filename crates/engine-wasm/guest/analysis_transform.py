"""A table made into another, step by step.

A step is `{"type": "select", "fields": [...]}` or, shorter, `{"select": [...]}`. Each takes
the table of the one before. All steps are checked before any of them is done.
"""

import decimal

from _tidegate import analysis_aggregate, analysis_expression, analysis_filter, analysis_functions
from _tidegate import analysis_check as check
from _tidegate import analysis_reshape as reshape
from _tidegate import analysis_rows, analysis_table
from _tidegate.analysis_check import AnalysisError, listed, rows, shown
from _tidegate.analysis_table import Table

_TYPES = ("int", "float", "text", "bool", "date")
_TYPE_WORDS = {
    "integer": "int", "int64": "int", "number": "float", "float64": "float", "double": "float", "str": "text", "string": "text",
    "boolean": "bool", "datetime": "date", "timestamp": "date",
}
_MAX_STEPS = 1000


def _given(work, names):
    return _table(work, {name: work.table.column(name) for name in names})


def _table(work, columns):
    import pandas

    return Table(pandas.DataFrame(columns, index=range(len(work.table))))


def _select(work, step):
    return _given(work, step["fields"])


def _drop(work, step):
    for name in step["fields"]:
        if name not in work.table.names:
            work.table.column(name)
            raise AnalysisError(f"'drop' takes columns, and {name!r} is a path into one")
    return _given(work, [one for one in work.table.names if one not in step["fields"]])


def _rename(work, step):
    table = work.table
    for name in step["fields"]:
        if name not in table.names:
            near = check.nearest(name, table.names)
            raise AnalysisError(f"there is no column {shown(name)}.{near} The columns: {listed(table.names)}")
    names = [step["fields"].get(one, one) for one in table.names]
    analysis_aggregate.distinct(names, "'rename'", "choose another name, or 'drop' or rename the other one first")
    made = table.frame().copy(deep=False)
    made.columns = names
    return Table(made)


def _computed(work, step):
    for name, tree in step["fields"].items():
        # A name stays the label of its column in messages.
        found = analysis_expression.evaluate(tree, work.table, work.notes)
        columns = {one: work.table.column(one) for one in work.table.names}
        work.table = _table(work, {**columns, name: found.set_axis(range(len(work.table)))})
    return work.table


def _cast(work, step):
    columns = {one: work.table.column(one) for one in work.table.names}
    for name, wanted in step["fields"].items():
        found, wrong, changed = _casted(work.table.column(name), wanted, work.notes)
        strict = step.get("on_error") == "error"
        if wrong and strict:
            raise AnalysisError(f"'cast': {rows(wrong, 'have')} a value in {name!r} that is no {wanted}")
        if changed and strict:
            raise AnalysisError(f"'cast': {rows(changed, 'have')} a value in {name!r} that {_CHANGES[wanted][0]}")
        if wrong:
            work.notes.add(f"'cast' found {rows(wrong)} with a value in {name!r} that is no {wanted}; they have null now")
        if changed:
            work.notes.add(f"'cast' found {rows(changed)} with a value in {name!r} that {'; '.join(_CHANGES[wanted])}")
        columns[name] = found
    return _table(work, columns)


# What a value may lose that is of the type nearly.
_CHANGES = {
    "int": ("has a fraction", "it was cut off"),
    "float": ("is too long for a float", "it was rounded"),
}


def _casted(series, wanted, notes):
    """A column of another type, how many of its values are none of that type, and how many are so only nearly."""
    if wanted == "text":
        return analysis_functions.as_text(series), 0, 0
    if wanted == "date":
        return *_as_dates(series, notes), 0
    if wanted == "bool":
        found = [_TRUTHS.get(one.strip().lower() if type(one) is str else one) for one in analysis_rows.keyed(series).tolist()]
        made = analysis_rows.series_of(found)
        return made, int(series.notna().sum() - made.notna().sum()), 0
    found, wrong = analysis_functions.as_number(series)
    if wanted == "float":
        return analysis_functions.floats(found), wrong, analysis_rows.rounded(found)
    if found.dtype.kind in "iu":
        return found, wrong, 0
    made = [_as_int(*pair) for pair in zip(found.tolist(), series.tolist())]
    whole = analysis_rows.series_of([one for one, _ in made])
    return whole, wrong + int(found.notna().sum() - whole.notna().sum()), sum(cut for _, cut in made)


def _as_int(number, given):
    """A whole number, and whether a fraction was cut off; None for a float beyond 64 bits, which says no digits."""
    if type(number) is int:
        return number, False
    if number is None or not abs(number) < 2.0**63:
        return None, False
    # Digits that a float has lost are still in the text.
    exact = number
    if type(given) is str and abs(number) >= 1:
        try:
            exact = decimal.Decimal(given.strip())
        except decimal.InvalidOperation:
            pass
    return int(exact), int(exact) != exact


_TRUTHS = {True: True, False: False, "true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


def _as_dates(series, notes):
    import pandas

    if analysis_rows.kind_of(series) == "number":
        found = analysis_table.since_1970(series, notes)
        return found, int(series.notna().sum() - found.notna().sum())
    dated = analysis_table.dates_of(series)
    if dated is None:
        return pandas.Series(pandas.NaT, index=series.index, dtype="datetime64[us, UTC]"), int(series.notna().sum())
    return dated


def _filter(work, step):
    if not len(work.table):
        # For what is wrong with them.
        analysis_filter.mask(work.table, step["conditions"], work.notes)
    return analysis_filter.kept(work.table, step["conditions"], work.notes)


def _sort(work, step):
    return work.table.taken(analysis_filter.sorted_positions(work.table, step["by"]))


def _limit(work, step):
    import numpy

    found = numpy.arange(len(work.table))
    return work.table.taken(analysis_filter.cut(found, {"limit": step["count"], "offset": step.get("offset", 0)}))


def _dedupe(work, step):
    import numpy
    import pandas

    table = work.table
    names = step.get("fields") or table.names
    keys = pandas.DataFrame({at: analysis_rows.keyed(table.column(one)) for at, one in enumerate(names)})
    repeated = keys.duplicated(keep=step.get("keep", "first")).to_numpy()
    return table.taken(numpy.flatnonzero(~repeated)) if repeated.any() else table


def _aggregate(work, step):
    if not _is_unknown(work.table):
        for name in [*step["group_by"], *[field for field, _, _ in step["aggregations"] if field is not None]]:
            work.table.column(name)
    return analysis_aggregate.made(work.table, step, work.notes)


# --- how steps are written ------------------------------------------------------------------------


def _names(value, where):
    found = check.mapping(value, where)
    for name in found.values():
        check.text(name, f"a new name in {where}")
    return found


def _expressions(value, where):
    given = check.mapping(value, where)
    return {name: analysis_expression.parse(one, f"the expression for {name!r}") for name, one in given.items()}


def _types(value, where):
    made = {}
    for name, one in check.mapping(value, where).items():
        folded = one.strip().lower() if isinstance(one, str) else one
        wanted = _TYPE_WORDS.get(folded, folded) if isinstance(folded, str) else one
        made[name] = check.choice(wanted, _TYPES, f"the type of {name!r}")
    return made


# For each step what it takes, what it needs, which of them a short form gives, and what is done.
STEPS = {
    "select": ({"fields": check.texts}, ["fields"], "fields", _select),
    "drop": ({"fields": check.texts}, ["fields"], "fields", _drop),
    "rename": ({"fields": _names}, ["fields"], "fields", _rename),
    "computed": ({"fields": _expressions, "field": check.text, "expression": check.anything}, [], "fields", _computed),
    "cast": ({"fields": _types, "on_error": check.one_of("null", "error")}, ["fields"], "fields", _cast),
    "filter": ({"conditions": check.anything, "logic": check.anything}, ["conditions"], "conditions", _filter),
    "sort": ({"by": analysis_filter.sort}, ["by"], "by", _sort),
    "limit": ({"count": check.whole, "offset": check.whole}, ["count"], "count", _limit),
    "dedupe": ({"fields": check.texts, "keep": check.one_of("first", "last")}, [], "fields", _dedupe),
    "aggregate": (analysis_aggregate.PARAMETERS, [], None, _aggregate),
    "join": (reshape.JOIN, ["with"], None, reshape.join),
    "pivot": (reshape.PIVOT, ["index", "columns"], None, reshape.pivot),
    "unpivot": (reshape.UNPIVOT, [], None, reshape.unpivot),
}


def _step(given, where):
    """The name of a step and its checked parameters."""
    if not isinstance(given, dict):
        raise AnalysisError(f'{where} must be an object such as {{"type": "select", "fields": [...]}}, not {shown(given)}')
    given = dict(given)
    if "type" in given:
        name = check.choice(given.pop("type"), STEPS, f"'type' of {where}")
        body = given
    elif len(given) == 1:
        name, body = next(iter(given.items()))
        name = check.choice(name, STEPS, where)
        valid, _, short, _ = STEPS[name]
        if short is not None and not (isinstance(body, dict) and body and all(one in valid for one in body)):
            body = {short: body}
    else:
        raise AnalysisError(f"{where} needs 'type': {listed(STEPS)}")
    valid, required, _, _ = STEPS[name]
    return name, _finished(name, body, check.parameters(body, valid, f"{where} ({name})", required), where)


def _finished(name, body, step, where):
    """What the single parameters of some steps mean together."""
    if name == "filter":
        step["conditions"] = analysis_filter.conditions(step["conditions"], f"{where}.conditions", step.get("logic") or "AND")
    elif name == "aggregate":
        return analysis_aggregate.prepare(body, f"{where} (aggregate)")
    elif name == "computed":
        if ("field" in step) != ("expression" in step) or ("field" in step) == ("fields" in step):
            raise AnalysisError(f"{where} (computed) needs 'field' and 'expression', or 'fields' with several of them")
        if "field" in step:
            step["fields"] = _expressions({step["field"]: step["expression"]}, where)
    elif name == "join":
        reshape.check_join(step, where)
    return step


def prepare(parameters):
    """The checked steps, and the second sources that they name."""
    plan = check.parameters(parameters, {"steps": check.several}, "transform", ("steps",))
    if len(plan["steps"]) > _MAX_STEPS:
        raise AnalysisError(f"there are more than {_MAX_STEPS} steps")
    steps = [_step(one, f"steps[{at}]") for at, one in enumerate(plan["steps"])]
    sources = [
        (step["with"], step.get("data_field"), f"'with' of steps[{at}]")
        for at, (name, step) in enumerate(steps)
        if name == "join"
    ]
    return {"steps": steps, "sources": sources}


# What leaves some of the rows, with all of their columns.
_OF_ROWS = ("filter", "sort", "limit", "dedupe")


def compute(work, plan):
    for at, (name, step) in enumerate(plan["steps"]):
        before = work.table
        if _is_unknown(before) and name not in ("join", "limit") and (name != "aggregate" or step["group_by"]):
            continue
        try:
            made = STEPS[name][3](work, step)
        except AnalysisError as error:
            raise AnalysisError(f"steps[{at}] ({name}): {error}") from None
        if not len(made) and name in _OF_ROWS:
            made = _without_rows(before.names)
        elif not len(made) and name == "join" and any(map(_is_unknown, (before, reshape.other(work, step)))):
            made = Table(records=[])
        work.table = made
    return work.rows(work.table.records())


def _is_unknown(table):
    """Whether there are neither rows nor columns, so that no step has anything to be checked against."""
    return not len(table) and not table.names


def _without_rows(names):
    import pandas

    return Table(pandas.DataFrame({one: analysis_rows.series_of([]) for one in names}, columns=None if names else []))
