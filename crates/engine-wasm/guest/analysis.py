"""Prepared analyses: a request says what to find out, and the answer is plain JSON.

    await run({"analysis_type": "filter", "data": [...], "parameters": {"conditions": [...]}})

A request is checked before its data is read, so a mistake in it calls no tool. Each type of
analysis is a module with `prepare`, which checks the parameters, and `compute`. The
libraries are imported when they are used: most sessions never ask for an analysis.
"""

import sys
import warnings

from _tidegate import analysis_aggregate, analysis_check, analysis_correlate, analysis_data, analysis_describe
from _tidegate import analysis_filter, analysis_hypothesis, analysis_predict, analysis_rows, analysis_timeseries
from _tidegate import analysis_transform, analysis_validate
from _tidegate.analysis_check import AnalysisError, check_keys, listed, shown
from _tidegate.failures import ToolError

TYPES = {
    "filter": analysis_filter,
    "aggregate": analysis_aggregate,
    "transform": analysis_transform,
    "validate": analysis_validate,
    "timeseries": analysis_timeseries,
    "correlate": analysis_correlate,
    "describe": analysis_describe,
    "test": analysis_hypothesis,
    "predict": analysis_predict,
}
_KEYS = ("analysis_type", "data", "parameters")


class Work:
    """One analysis under way: its rows, further sources, and what there is to note."""

    def __init__(self):
        self.table = None
        self.at = None  # the rows of the data that are left, if not all are
        self.notes = analysis_check.Notes()
        self._others = {}

    def other(self, source, field=None):
        """The table of a second source that `prepare` has named."""
        return self._others[id(source), field]

    def index(self, at):
        """The number that a row has in the data."""
        return at if self.at is None else int(self.at[at])

    def rows(self, found):
        """An answer that is rows."""
        return {"rows_out": len(found), "result": found}

    async def read(self, request, plan, field):
        fetched = await analysis_data.fetch(request["data"])
        inner = request["data"].get("data_field") if analysis_data.form_of(request["data"]) else None
        self.table = analysis_data.table(fetched, self.notes, inner or field)
        for source, other_field, where in plan.get("sources", ()):
            # A second list of the same data.
            own = isinstance(source, dict) and list(source) == ["data_field"]
            found = fetched if own else await analysis_data.fetch(source)
            inner = source.get("data_field") if own or analysis_data.form_of(source) else None
            made = analysis_data.table(found, self.notes, inner or other_field, where)
            self._others[id(source), other_field] = made


async def run(request, as_table=False):
    """Answers one request; a mistake in it is an `AnalysisError`, a tool's failure a `ToolError`.

    `as_table` gives the result alone, rows and descriptions as a table, and writes the notes to
    standard error.
    """
    made = await _run(request)
    if not as_table:
        return made
    import pandas

    for note in made["notes"]:
        print(note, file=sys.stderr)
    found = made["result"]
    if made["analysis_type"] == "describe":
        found = analysis_describe.as_rows(found)
    rows = isinstance(found, list) and len(found) > 0 and all([isinstance(row, dict) for row in found])
    if not rows:
        return found
    names = list(dict.fromkeys(name for row in found for name in row))
    columns = {name: analysis_rows.series_of([row.get(name) for row in found]) for name in names}
    return pandas.DataFrame(columns, index=range(len(found)))


# Whether the program that runs has asked for an analysis; what is said when its memory is used up depends on it.
asked = False


async def _run(request):
    global asked
    asked = True
    module, plan, field, before = _prepared(request)
    work = Work()
    try:
        await work.read(request, plan, field)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = _computed(work, module, plan, before)
    except (AnalysisError, ToolError):
        raise
    except MemoryError:
        rows = work.table
        many = "its rows" if rows is None else f"{len(rows)} rows"
        rows = work.table = work.at = None
        raise MemoryError(
            f"{request['analysis_type']} of {many} needs more memory than there is: set a limit, select fewer columns, "
            "filter the rows first, or aggregate them"
        ) from None
    except Exception as error:
        said = str(error)[:300] or "no more is known"
        raise AnalysisError(f"{request['analysis_type']} could not be computed: {type(error).__name__}: {said}") from error
    made["notes"] = work.notes.all()
    return made


def _prepared(request):
    """The module, its plan, the field of the data, and the conditions that come first."""
    if not isinstance(request, dict):
        raise AnalysisError(f"a request is an object with {listed(_KEYS)}, not {shown(request)}")
    check_keys(request, _KEYS, "the request")
    if "analysis_type" not in request:
        raise AnalysisError(f"the request needs 'analysis_type': {listed(TYPES)}")
    name = analysis_check.choice(request["analysis_type"], TYPES, "'analysis_type'")
    if request.get("data") is None:
        raise AnalysisError(f"the request needs 'data': {analysis_data.FORMS}")
    parameters = request.get("parameters")
    parameters = {} if parameters is None else parameters
    if not isinstance(parameters, dict):
        raise AnalysisError(f"'parameters' must be an object, not {shown(parameters)}")
    parameters = dict(parameters)
    field = parameters.pop("data_field", None)
    if field is not None:
        analysis_check.text(field, "'data_field'")
    before = None
    module = TYPES[name]
    if module not in (analysis_filter, analysis_transform):
        logic = parameters.pop("logic", None)
        given = parameters.pop("conditions", None)
        if given is not None:
            before = analysis_filter.conditions(given, "conditions", logic or "AND")
    return module, module.prepare(parameters), field, before


def _computed(work, module, plan, before):
    count = len(work.table)
    if before is not None and count:
        work.at = analysis_filter.mask(work.table, before, work.notes).nonzero()[0]
        work.table = work.table.taken(work.at)
    if not count:
        work.notes.add("there are no rows in the data")
    elif not len(work.table):
        work.notes.add("no row meets the conditions")
    made = module.compute(work, plan)
    name = next(one for one, found in TYPES.items() if found is module)
    made["result"] = analysis_rows.plain(made["result"]) if "rows_out" not in made else made["result"]
    return {"analysis_type": name, "rows_in": count, **made}
