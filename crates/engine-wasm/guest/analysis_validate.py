"""Rows held against rules: what each rule found, and some of the rows that break it.

A missing value breaks only `required`. What is of the wrong kind for a rule breaks it: a
text is in no range of numbers, and a number matches no pattern.
"""

from _tidegate import analysis_rows, analysis_table
from _tidegate import analysis_check as check
from _tidegate import analysis_compare as compare
from _tidegate.analysis_check import AnalysisError, shown

_TYPES = ("text", "number", "integer", "boolean", "date", "list", "object")
_WORDS = {
    "string": "text", "str": "text", "int": "integer", "float": "number", "bool": "boolean", "datetime": "date", "array": "list",
}


def _type(value, where):
    folded = value.strip().lower() if isinstance(value, str) else value
    return check.choice(_WORDS.get(folded, folded) if isinstance(folded, str) else value, _TYPES, where)


def _bound(value, where):
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise AnalysisError(f"{where} must be a number or a date, not {shown(value)}")
    if isinstance(value, str) and analysis_table.date_of(value) is None:
        raise AnalysisError(f"{where} must be a number or a date such as 2024-05-01, not {shown(value)}")
    return value


def _allowed(value, where):
    if not isinstance(value, (list, tuple)):
        raise AnalysisError(f"{where} must be a list of values, not {shown(value)}")
    return list(value)


def _references(value, where):
    valid = {"data": check.anything, "field": check.name, "data_field": check.text}
    return check.parameters(value, valid, where, ("data", "field"))


_RULES = {
    "field": check.name, "required": check.boolean, "type": _type, "min": _bound, "max": _bound,
    "pattern": lambda value, where: compare.pattern(value, True, where), "allowed": _allowed, "unique": check.boolean,
    "references": _references,
}
_MAX_RULES = 10_000


def prepare(parameters):
    """The checked rules, and the sources that they refer to."""
    valid = {"rules": check.anything, "samples": check.whole}
    plan = check.parameters(parameters, valid, "validate", ("rules",))
    given = plan["rules"]
    if isinstance(given, dict) and "field" not in given:
        given = [{**check.mapping(one, f"the rules for {name!r}"), "field": name} for name, one in given.items()]
    given = check.several(given, "'rules'")
    if len(given) > _MAX_RULES:
        raise AnalysisError(f"there are more than {_MAX_RULES} rules")
    plan["rules"] = [check.parameters(one, _RULES, f"rules[{at}]", ("field",)) for at, one in enumerate(given)]
    for at, one in enumerate(plan["rules"]):
        if len(one) == 1:
            raise AnalysisError(f"rules[{at}] says nothing of {one['field']!r}. Rules: {check.listed([*_RULES][1:])}")
    plan["sources"] = [
        (one["references"]["data"], one["references"].get("data_field"), f"'references' of rules[{at}]")
        for at, one in enumerate(plan["rules"])
        if "references" in one
    ]
    return plan


def compute(work, plan):
    import numpy

    table = work.table
    broken = numpy.zeros(len(table), bool)
    checks = []
    for rule in plan["rules"]:
        cells = _cells(work, rule["field"])
        for name, value in rule.items():
            if name == "field" or value is False:
                continue
            present = ~compare.is_null(cells)
            failed = ~present if name == "required" else present & ~_CHECKS[name](work, cells, value)
            broken |= failed
            checks.append(_report(work, cells, name, value, present if name != "required" else None, failed, plan))
    wrong = int(broken.sum())
    result = {"valid": wrong == 0, "rows_valid": len(table) - wrong, "rows_invalid": wrong, "checks": checks}
    return {"result": result}


def _cells(work, field):
    """The column of a rule; one that no row has is missing everywhere."""
    import pandas

    table = work.table
    if table.has(field):
        return compare.cells(table, field)
    if len(table):
        near = check.nearest(field, table.names)
        work.notes.add(f"no row has the field {shown(field)}.{near} The columns: {check.listed(table.names)}")
    return compare.Cells(pandas.Series([None] * len(table), dtype="object"), field)


def _report(work, cells, name, value, present, failed, plan):
    import numpy

    at = numpy.flatnonzero(failed)[: plan.get("samples", 5)].tolist()
    shown_values = analysis_rows.cells_of(cells.series.iloc[at])
    samples = [{"index": work.index(one), "value": cell, "row": work.table.record(one)} for one, cell in zip(at, shown_values)]
    return {
        "field": cells.name,
        "rule": name,
        "expected": _expected(name, value),
        "checked": len(failed) if present is None else int(present.sum()),
        "failed": int(failed.sum()),
        "samples": samples,
    }


def _expected(name, value):
    if name == "pattern":
        return value.pattern
    if name == "references":
        return value["field"]
    return value


# --- the rules: which rows keep them ------------------------------------------------------------


def _is_type(work, cells, wanted):
    import numpy

    series = cells.series
    if wanted == "date":
        dated = cells.dates()
        return cells.none() if dated is None else dated[0].notna().to_numpy()
    if wanted in ("number", "integer"):
        if cells.kind == "boolean":
            return cells.none()
        found, _ = analysis_rows.exact_of(series)
        if wanted == "number" or found.dtype.kind in "iu":
            return found.notna().to_numpy()
        return numpy.array([one is not None and one % 1 == 0 for one in found.tolist()], bool)
    kinds = {"text": (str,), "boolean": (bool,), "list": (list,), "object": (dict,)}[wanted]
    if cells.kind in ("text", "boolean") and wanted == cells.kind:
        return ~compare.is_null(cells)
    return cells.of(*kinds) if series.dtype.kind == "O" else numpy.zeros(len(series), bool)


def _in_range(name):
    def keeps(work, cells, bound):
        # What cannot be compared is outside, and the rule for the type says why.
        try:
            return compare.order(cells, name, bound, check.Notes())
        except AnalysisError:
            return cells.none()

    return keeps


def _matches(work, cells, pattern):
    import numpy

    found = [type(one) is str and pattern.search(one) is not None for one in cells.series.tolist()]
    return numpy.array(found, bool)


def _is_allowed(work, cells, values):
    return compare.within(cells, values, check.Notes())


def _is_unique(work, cells, wanted):
    keyed = analysis_rows.keyed(cells.series)
    return ~(keyed.duplicated(keep=False) & keyed.notna()).to_numpy()


def _is_known(work, cells, reference):
    other = work.other(reference["data"], reference.get("data_field"))
    if not len(other):
        return cells.none()
    column = analysis_rows.keyed(other.column(reference["field"])).dropna()
    kinds = {cells.kind, analysis_rows.kind_of(column)}
    if kinds == {"text", "number"}:
        holds = [analysis_table.holds(one) for one in (cells.series, column)]
        work.notes.add(f"{cells.name!r} holds {holds[0]}, what it refers to {holds[1]}")
    return compare.within(cells, column.unique().tolist(), check.Notes())


_CHECKS = {
    "type": _is_type, "min": _in_range(">="), "max": _in_range("<="), "pattern": _matches, "allowed": _is_allowed,
    "unique": _is_unique, "references": _is_known,
}
