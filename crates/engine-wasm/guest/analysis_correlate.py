"""How columns of numbers go together: a matrix, and the pairs that do so most.

Each pair is computed from the rows where both have a value, as pandas does it.
"""

from _tidegate import analysis_check as check
from _tidegate.analysis_check import AnalysisError, listed

_MOST_FIELDS = 200

PARAMETERS = {
    "fields": check.texts, "method": check.one_of("pearson", "spearman", "kendall"), "covariance": check.boolean,
    "top": check.whole, "min_rows": check.positive,
}


def prepare(parameters):
    """The checked parameters of a correlation."""
    return check.parameters(parameters, PARAMETERS, "correlate")


def compute(work, plan):
    import pandas

    table = work.table
    if not len(table):
        return {"result": {"method": plan.get("method", "pearson"), "fields": [], "matrix": {}, "pairs": []}}
    names = plan.get("fields") or table.numeric()
    for name in names:
        table.column(name)  # One that is not there says what is.
    if len(names) < 2:
        raise AnalysisError(f"'correlate' needs two columns of numbers. Columns with numbers: {listed(table.numeric())}")
    if len(names) > _MOST_FIELDS:
        raise AnalysisError(f"there are {len(names)} columns; name at most {_MOST_FIELDS} of them in 'fields'")
    frame = pandas.DataFrame({name: table.numbers(name, work.notes, "'correlate'") for name in names})
    method = plan.get("method", "pearson")
    least = plan.get("min_rows", 2)
    try:
        matrix = frame.corr(method=method, min_periods=least)
    except ImportError:
        raise AnalysisError(f"the method {method!r} needs scipy, which is not allowed at this level, or not in this image") from None
    flat = [name for name in names if frame[name].nunique() < 2]
    if flat:
        work.notes.add(f"nothing correlates with a column that has one value only: {listed(flat)}")
    result = {"method": method, "fields": names, "matrix": _nested(matrix), "pairs": _pairs(frame, matrix, plan.get("top", 10))}
    if plan.get("covariance"):
        result["covariance"] = _nested(frame.cov(min_periods=least))
    return {"result": result}


def _nested(matrix):
    return {name: dict(zip(matrix.columns, row)) for name, row in zip(matrix.index, matrix.to_numpy().tolist())}


def _pairs(frame, matrix, count):
    """The strongest pairs first, of equal ones the first in the data; with the rows each was made of."""
    import numpy

    present = frame.notna().to_numpy().astype("float64")
    together = present.T @ present
    values = matrix.to_numpy()
    rows, columns = numpy.triu_indices(len(values), 1)
    found = values[rows, columns]
    known = numpy.flatnonzero(~numpy.isnan(found))
    order = known[numpy.argsort(-numpy.abs(found[known]), kind="stable")][:count]
    names = list(frame.columns)
    return [
        {"a": names[rows[at]], "b": names[columns[at]], "correlation": found[at], "n": int(together[rows[at], columns[at]])}
        for at in order.tolist()
    ]
