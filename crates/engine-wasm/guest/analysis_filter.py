"""Rows that meet conditions; also sorting, and taking some of the rows, for every analysis.

Conditions are read into a tree before any data is there. Many that ask one field for one
of several values are asked as one question, so ten thousand of them are no slower.
"""

from _tidegate import analysis_check as check
from _tidegate import analysis_compare as compare
from _tidegate import analysis_rows, analysis_table
from _tidegate.analysis_check import AnalysisError, rows, shown

OPERATORS = (
    "==", "!=", "<", "<=", ">", ">=", "in", "not_in", "contains", "starts_with", "ends_with", "regex", "between",
    "is_null", "not_null",
)
_WORDS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lte": "<=", "gte": ">=", "=": "==", "<>": "!=",
    "equals": "==", "not_equals": "!=", "is_not_null": "not_null", "startswith": "starts_with", "endswith": "ends_with",
    "matches": "regex", "notin": "not_in", "nin": "not_in", "isnull": "is_null", "notnull": "not_null",
}
_LEAF = {
    "field": check.name, "operator": check.anything, "value": check.anything, "case_sensitive": check.boolean,
}
_GROUP = ("logic", "conditions")
_MAX_DEPTH = 50
_MAX_CONDITIONS = 100_000


# --- conditions -----------------------------------------------------------------------------


def conditions(value, where="conditions", logic="AND"):
    """Conditions as a tree of tuples: ("AND" or "OR", nodes), ("NOT", node), or a leaf."""
    counted = [0]
    if isinstance(value, dict):
        value = [value]
    return _group(value, logic, where, 0, counted)


def _group(value, logic, where, depth, counted):
    if not isinstance(value, (list, tuple)):
        raise AnalysisError(f"{where} must be a list of conditions, not {shown(value)}")
    if isinstance(logic, str):
        logic = logic.upper()
    if logic == "NOT":
        raise AnalysisError(f'\'logic\' of {where} is "AND" or "OR"; write {{"not": {{...}}}} for the opposite of a condition')
    logic = check.choice(logic, ("AND", "OR"), f"'logic' of {where}")
    nodes = [_node(one, f"{where}[{at}]", depth + 1, counted) for at, one in enumerate(value)]
    return logic, _joined(logic, nodes)


def _node(value, where, depth, counted):
    if depth > _MAX_DEPTH:
        raise AnalysisError(f"conditions are nested more than {_MAX_DEPTH} deep; write them flatter")
    counted[0] += 1
    if counted[0] > _MAX_CONDITIONS:
        raise AnalysisError(f"there are more than {_MAX_CONDITIONS} conditions; use 'in' with a list of values")
    where = where if len(where) < 80 else "..." + where[-60:]
    if isinstance(value, dict) and "not" in value:
        check.parameters(value, {"not": check.anything}, where)
        inner = value["not"]
        inner = [inner] if isinstance(inner, dict) else inner
        return "NOT", _group(inner, "AND", f"{where}.not", depth, counted)
    if isinstance(value, dict) and "conditions" in value:
        check.parameters(value, dict.fromkeys(_GROUP, check.anything), where)
        return _group(value["conditions"], value.get("logic", "AND"), f"{where}.conditions", depth, counted)
    return _leaf(value, where)


def _leaf(value, where):
    if not isinstance(value, dict):
        raise AnalysisError(f'{where} must be {{"field", "operator", "value"}} or {{"logic", "conditions"}}, not {shown(value)}')
    found = check.parameters(value, _LEAF, where, ("field",))
    name = found.get("operator", "==")
    folded = name.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(name, str) else name
    known = _WORDS.get(folded, folded) if isinstance(folded, str) else folded
    if known not in OPERATORS:
        near = check.nearest(name, [*OPERATORS, *[one for one in _WORDS if len(one) > 3]])
        raise AnalysisError(f"'operator' of {where} is {shown(name)}.{near} Valid: {check.listed(OPERATORS)}")
    if known not in ("is_null", "not_null") and "value" not in value:
        raise AnalysisError(f"{where} needs 'value' for the operator '{known}'")
    wanted = _wanted(known, value.get("value"), found.get("case_sensitive", True), f"'value' of {where}")
    return "LEAF", found["field"], known, wanted, found.get("case_sensitive", True)


def _wanted(name, value, case, where):
    """The value of a condition, checked for its operator."""
    if name in ("in", "not_in"):
        if not isinstance(value, (list, tuple)):
            raise AnalysisError(f"{where} must be a list for '{name}', not {shown(value)}")
        return list(value)
    if name == "between":
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise AnalysisError(f"{where} must be [lowest, highest] for 'between', not {shown(value)}")
        return [None if one is None else _ordered(one, name, where) for one in value]
    if name in ("<", "<=", ">", ">="):
        return _ordered(value, name, where)
    if name == "regex":
        return compare.pattern(value, case, where)
    if name in ("starts_with", "ends_with") and not isinstance(value, str):
        raise AnalysisError(f"{where} must be a text for '{name}', not {shown(value)}")
    return value


def _ordered(value, name, where):
    if isinstance(value, (str, int, float)) and value == value:
        return value
    raise AnalysisError(f"{where} must be a number, a text or a date for '{name}', not {shown(value)}")


def _joined(logic, nodes):
    """The same conditions, with those that ask one field for several values made one."""
    single, many = ("==", "in") if logic == "OR" else ("!=", "not_in")
    by_field = {}
    rest = []
    for node in nodes:
        if node[0] == "LEAF" and node[2] in (single, many):
            by_field.setdefault((node[1], node[4]), []).append(node)
        else:
            rest.append(node)
    for (field, case), leaves in by_field.items():
        if len(leaves) > 1:
            values = [one for leaf in leaves for one in (leaf[3] if leaf[2] == many else [leaf[3]])]
            leaves = [("LEAF", field, many, values, case)]
        rest += leaves
    return rest


def mask(table, node, notes):
    """Which rows meet the conditions."""
    import numpy

    if node[0] == "LEAF":
        return _leaf_mask(table, node, notes)
    if node[0] == "NOT":
        return ~mask(table, node[1], notes)
    found = numpy.full(len(table), node[0] == "AND" or not node[1])
    for one in node[1]:
        if node[0] == "AND":
            found &= mask(table, one, notes)
        else:
            found |= mask(table, one, notes)
    return found


def _leaf_mask(table, leaf, notes):
    _, field, name, value, case = leaf
    cells = compare.cells(table, field)
    if name in ("is_null", "not_null"):
        return compare.is_null(cells) if (name == "is_null") == (value is not False) else ~compare.is_null(cells)
    if not case and name in ("==", "!=", "in", "not_in"):
        found = compare.within_any_case(cells, value if name in ("in", "not_in") else [value], notes)
        return found if name in ("==", "in") else ~found
    if name == "==":
        return compare.equal(cells, value, notes)
    if name == "!=":
        return ~compare.equal(cells, value, notes)
    if name == "in":
        return compare.within(cells, value, notes)
    if name == "not_in":
        return ~compare.within(cells, value, notes)
    if name == "between":
        low, high = value
        found = ~compare.is_null(cells)
        if low is not None:
            found &= compare.order(cells, ">=", low, notes)
        return found & compare.order(cells, "<=", high, notes) if high is not None else found
    if name in ("contains", "starts_with", "ends_with", "regex"):
        return compare.matching(cells, name, value, case, notes)
    return compare.order(cells, name, value, notes)


def kept(table, node, notes):
    """The rows of a table that meet the conditions."""
    import numpy

    if node is None or not len(table):
        return table
    found = mask(table, node, notes)
    return table if found.all() else table.taken(numpy.flatnonzero(found))


# --- sorting ----------------------------------------------------------------------------------


def sort(value, where="sort"):
    """What to sort by, as pairs of a field and whether it falls."""
    found = value if isinstance(value, (list, tuple)) else [value]
    return [_sort_key(one, f"{where}[{at}]" if found is value else where) for at, one in enumerate(found)]


def _sort_key(value, where):
    if isinstance(value, str) and (value.strip("-") or not value):
        return (value[1:], True) if value.startswith("-") else (value, False)
    if not isinstance(value, dict):
        raise AnalysisError(f'{where} must be "field", "-field" or {{"field", "order"}}, not {shown(value)}')
    found = check.parameters(value, {"field": check.name, "order": check.one_of("asc", "desc")}, where, ("field",))
    return found["field"], found.get("order") == "desc"


def sorted_positions(table, keys, positions=None):
    """Row numbers in order; missing values come last, equal ones stay as they were."""
    import pandas

    columns = {}
    for at, (field, _) in enumerate(keys):
        series = table.column(field)
        columns[at] = _sort_values(series if positions is None else series.iloc[positions]).reset_index(drop=True)
    frame = pandas.DataFrame(columns)
    falling = [not down for _, down in keys]
    order = frame.sort_values(list(columns), ascending=falling, kind="stable", na_position="last").index.to_numpy()
    return order if positions is None else positions[order]


def _sort_values(series):
    """What the rows are sorted by: times that are written in several ways by when they are."""
    times = analysis_table.instants_of(series)
    return sortable(series) if times is None else times


def sortable(series):
    """Values of several kinds by kind first: numbers, then text; lists and objects by their JSON."""
    if series.dtype.kind != "O" or analysis_rows.kind_of(series) not in ("mixed", "nested"):
        return series
    cells = analysis_rows.keyed(series).tolist()
    present = sorted({(isinstance(one, str), type(one).__name__ * isinstance(one, str), one) for one in cells if one is not None})
    codes = {one: at for at, (_, _, one) in enumerate(present)}
    return type(series)([None if one is None else codes[one] for one in cells], dtype="float64")


# --- the analysis -------------------------------------------------------------------------------

PARAMETERS = {
    "conditions": check.anything, "logic": check.anything, "select": check.texts, "sort": sort,
    "limit": check.whole, "offset": check.whole,
}


def prepare(parameters):
    """The checked parameters of a filter."""
    plan = check.parameters(parameters, PARAMETERS, "filter")
    plan["conditions"] = conditions(plan.get("conditions") or [], "conditions", plan.get("logic") or "AND")
    return plan


def compute(work, plan):
    import numpy

    table = work.table
    if not len(table):
        return work.rows([])
    positions = numpy.flatnonzero(mask(table, plan["conditions"], work.notes))
    if plan.get("sort"):
        positions = sorted_positions(table, plan["sort"], positions)
    chosen = cut(positions, plan)
    if len(chosen) < len(positions):
        work.notes.add(f"{rows(len(positions))} matched; 'limit' and 'offset' leave {len(chosen)}")
    if plan.get("select"):
        return work.rows(analysis_rows.records_of(table.frame(plan["select"]).iloc[chosen]))
    return work.rows(table.taken(chosen).records())


def cut(found, plan):
    """What `offset` and `limit` leave."""
    start = plan.get("offset", 0)
    return found[start:] if plan.get("limit") is None else found[start : start + plan["limit"]]
