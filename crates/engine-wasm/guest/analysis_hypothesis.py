"""Tests of hypotheses; the figures are those of scipy.

Groups come from one column of values and one that says which group each belongs to, or from
a column for each group. Missing values are left out, in pairs where the test is of pairs.
"""

import math

from _tidegate import analysis_check as check
from _tidegate import analysis_rows
from _tidegate.analysis_check import AnalysisError, listed, rows, shown

_MOST_GROUPS = 1000
_SIDES = ("two-sided", "less", "greater")


def _side(value, where):
    folded = value.strip().lower().replace("_", "-") if isinstance(value, str) else value
    return check.choice(folded, _SIDES, where)


# What each test takes beside what all of them take.
_GROUPED = ("field", "group_field", "groups", "fields")
TESTS = {
    "t_one_sample": ("field", "mean", "alternative", "confidence"),
    "t_student": (*_GROUPED, "alternative", "confidence"),
    "t_welch": (*_GROUPED, "alternative", "confidence"),
    "t_paired": ("fields", "alternative", "confidence"),
    "mann_whitney": (*_GROUPED, "alternative"),
    "chi_squared": ("fields", "correction"),
    "chi_squared_fit": ("field", "expected"),
    "anova": _GROUPED,
}
# What else they are called.
_ALSO = {
    "t": "t_student", "t_test": "t_student", "ttest": "t_student", "student": "t_student", "welch": "t_welch", "paired": "t_paired",
    "mannwhitney": "mann_whitney", "mann_whitney_u": "mann_whitney", "mannwhitneyu": "mann_whitney", "chi2": "chi_squared",
    "chi_square": "chi_squared", "chisquare": "chi_squared", "f": "anova", "f_oneway": "anova",
}


def _test(value, where):
    folded = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else value
    return check.choice(_ALSO.get(folded, value) if isinstance(folded, str) else value, TESTS, where)


PARAMETERS = {
    "test": _test, "alpha": check.share, "field": check.name,
    "group_field": check.name, "groups": check.anything, "fields": check.texts, "mean": check.number, "alternative": _side,
    "confidence": check.share, "correction": check.boolean, "expected": check.mapping,
}


def prepare(parameters):
    """The checked parameters of a test."""
    plan = check.parameters(parameters, PARAMETERS, "test", ("test",))
    name = plan["test"]
    taken = TESTS[name]
    for one in plan:
        if one not in ("test", "alpha", *taken):
            raise AnalysisError(f"the test {name!r} does not take {one!r}. It takes: {listed(['alpha', *taken])}")
    if name in ("t_one_sample", "chi_squared_fit"):
        _needs(plan, "field")
    elif name in ("t_paired", "chi_squared"):
        _needs(plan, "fields", 2)
    elif "fields" in plan:
        _needs(plan, "fields", None if name == "anova" else 2)
        if "field" in plan or "group_field" in plan:
            raise AnalysisError(f"the test {name!r} takes 'fields', or 'field' and 'group_field', not both")
    elif "field" not in plan or "group_field" not in plan:
        raise AnalysisError(f"the test {name!r} needs 'field' and 'group_field', or 'fields' with a column for each group")
    if "groups" in plan and not isinstance(plan["groups"], list):
        raise AnalysisError(f"'groups' must be a list of values of 'group_field', not {shown(plan['groups'])}")
    return plan


def _needs(plan, name, count=1):
    if name not in plan:
        what = f"{name!r} with two columns" if count == 2 else repr(name)
        raise AnalysisError(f"the test {plan['test']!r} needs {what}")
    if count is not None and name == "fields" and len(plan["fields"]) != count:
        raise AnalysisError(f"the test {plan['test']!r} needs two columns in 'fields', not {len(plan['fields'])}")


def compute(work, plan):
    try:
        from scipy import stats
    except ImportError:
        raise AnalysisError("tests need scipy, which this image does not have") from None
    if not len(work.table):
        raise AnalysisError("there are no rows to test")
    name = plan["test"]
    found = _TESTS[name](work, plan, stats)
    alpha = plan.get("alpha", 0.05)
    if found["p_value"] != found["p_value"]:
        work.notes.add("the test gives no figure: the values do not vary, or there are too few")
    result = {"test": name, **found, "alpha": alpha, "significant": bool(found["p_value"] < alpha)}
    return {"result": result}


# --- groups ---------------------------------------------------------------------------------------


def _numbers(work, name, least=2):
    found = work.table.numbers(name, work.notes, "the test").dropna()
    if len(found) < least:
        raise AnalysisError(f"{name!r} has {len(found)} number{'s' * (len(found) != 1)}; the test needs at least {least}")
    return found


def _groups(work, plan, exactly=None, least=1):
    """The groups by name, each an array of at least so many numbers."""
    if "fields" in plan:
        return {name: _numbers(work, name, least).to_numpy() for name in plan["fields"]}
    table = work.table
    values = table.numbers(plan["field"], work.notes, "the test")
    keys = analysis_rows.keyed(table.column(plan["group_field"]))
    known = sorted(keys.dropna().unique().tolist(), key=lambda one: (isinstance(one, str), one))
    wanted = plan.get("groups") or known
    field = plan["group_field"]
    for one in wanted:
        if one not in known:
            raise AnalysisError(f"{field!r} has no group {shown(one)}.{check.nearest(one, known)} It has: {listed(known)}")
    if exactly is not None and len(wanted) != exactly or len(wanted) < 2:
        many = f"exactly {exactly}" if exactly else "at least 2"
        advice = "; choose with 'groups'" if len(wanted) > 2 else ""
        raise AnalysisError(f"the test needs {many} groups, and {field!r} has {len(wanted)}: {listed(wanted)}{advice}")
    if len(wanted) > _MOST_GROUPS:
        raise AnalysisError(f"{field!r} has {len(wanted)} groups; at most {_MOST_GROUPS} are compared")
    made = {}
    for one in wanted:
        name = one if isinstance(one, str) else str(analysis_rows.plain(one))
        made[name] = values[(keys == one).to_numpy(dtype=bool, na_value=False)].dropna().to_numpy()
        if len(made[name]) < least:
            few = "no number" if least == 1 else f"fewer than {least} numbers"
            raise AnalysisError(f"the group {name!r} has {few} in {plan['field']!r}")
    return made


def _summary(groups):
    return [{"group": name, "n": len(one), "mean": one.mean(), "std": one.std(ddof=1)} for name, one in groups.items()]


# --- the tests ------------------------------------------------------------------------------------


def _t_result(found, plan, groups):
    interval = found.confidence_interval(plan.get("confidence", 0.95))
    return {
        "statistic": found.statistic,
        "p_value": found.pvalue,
        "df": found.df,
        "confidence_interval": [interval.low, interval.high],
        "alternative": plan.get("alternative", "two-sided"),
        "groups": _summary(groups),
    }


def _one_sample(work, plan, stats):
    values = _numbers(work, plan["field"]).to_numpy()
    mean = plan.get("mean", 0)
    found = stats.ttest_1samp(values, mean, alternative=plan.get("alternative", "two-sided"))
    return {**_t_result(found, plan, {plan["field"]: values}), "expected_mean": mean}


def _two_samples(equal):
    def test(work, plan, stats):
        # Without a variance of its own a group has nothing to say to Welch.
        groups = _groups(work, plan, 2, 1 if equal else 2)
        found = stats.ttest_ind(*groups.values(), equal_var=equal, alternative=plan.get("alternative", "two-sided"))
        return _t_result(found, plan, groups)

    return test


def _paired(work, plan, stats):
    columns = [work.table.numbers(name, work.notes, "the test") for name in plan["fields"]]
    both = columns[0].notna() & columns[1].notna()
    left_out = int((~both).sum())
    if left_out:
        work.notes.add(f"{rows(left_out, 'were')} left out, where not both values are there")
    if both.sum() < 2:
        raise AnalysisError("fewer than 2 rows have both values")
    groups = {name: one[both].to_numpy() for name, one in zip(plan["fields"], columns)}
    found = stats.ttest_rel(*groups.values(), alternative=plan.get("alternative", "two-sided"))
    return _t_result(found, plan, groups)


def _mann_whitney(work, plan, stats):
    import numpy

    groups = _groups(work, plan, 2)
    found = stats.mannwhitneyu(*groups.values(), alternative=plan.get("alternative", "two-sided"))
    summary = [{"group": name, "n": len(one), "median": float(numpy.median(one))} for name, one in groups.items()]
    side = plan.get("alternative", "two-sided")
    return {"statistic": found.statistic, "p_value": found.pvalue, "alternative": side, "groups": summary}


def _independence(work, plan, stats):
    import pandas

    left, right = [analysis_rows.keyed(work.table.column(name)) for name in plan["fields"]]
    both = left.notna() & right.notna()
    if (~both).any():
        work.notes.add(f"{rows(int((~both).sum()), 'were')} left out, where not both values are there")
    counted = pandas.crosstab(left[both].to_numpy(dtype="object"), right[both].to_numpy(dtype="object"))
    if min(counted.shape, default=0) < 2 or counted.size > 10_000:
        size = f"{counted.shape[0]} by {counted.shape[1]}"
        raise AnalysisError(f"the table of counts is {size}; it takes 2 values in each column, and not too many")
    found = stats.chi2_contingency(counted.to_numpy(), correction=plan.get("correction", True))
    _warn_of_few(work, found.expected_freq)
    heads = [analysis_rows.plain(one.tolist()) for one in (counted.index, counted.columns)]
    return {
        "statistic": found.statistic,
        "p_value": found.pvalue,
        "df": found.dof,
        "n": int(counted.to_numpy().sum()),
        "rows": heads[0],
        "columns": heads[1],
        "observed": counted.to_numpy(),
        "expected": found.expected_freq,
    }


def _warn_of_few(work, expected):
    few = int((expected < 5).sum())
    if few:
        work.notes.add(f"{few} expected count{'s are' if few != 1 else ' is'} below 5, so the p-value is only rough")


def _fit(work, plan, stats):
    import numpy

    series = work.table.column(plan["field"])
    if series.hasnans:
        work.notes.add(f"{rows(int(series.isna().sum()), 'were')} left out, without a value in {plan['field']!r}")
    counts = analysis_rows.as_keys(series).value_counts().to_dict()
    expected = plan.get("expected")
    if expected is None:
        names = sorted(counts)
        shares = numpy.ones(len(names))
    else:
        names = list(expected)
        shares = numpy.array([check.number(one, f"the expectation of {name!r}") for name, one in expected.items()], float)
        unknown = [one for one in counts if one not in expected]
        if unknown:
            raise AnalysisError(f"'expected' says nothing of {listed(unknown)}, which {plan['field']!r} has")
    if len(names) < 2 or (shares <= 0).any():
        raise AnalysisError("the test needs at least 2 categories, and an expectation above 0 for each")
    observed = numpy.array([counts.get(one, 0) for one in names], float)
    whole = float(shares.sum())
    # Shares of all rows, or the counts themselves.
    if expected is not None and not any(math.isclose(whole, one, rel_tol=1e-6) for one in (1, observed.sum())):
        work.notes.add(f"'expected' adds up to {whole:g}, not to 1; each was taken as its part of that")
    wanted = shares / whole * observed.sum()
    found = stats.chisquare(observed, wanted)
    _warn_of_few(work, wanted)
    triples = zip(names, observed.tolist(), wanted.tolist())
    return {
        "statistic": found.statistic,
        "p_value": found.pvalue,
        "df": len(names) - 1,
        "n": int(observed.sum()),
        "categories": [{"category": name, "observed": int(one), "expected": other} for name, one, other in triples],
    }


def _anova(work, plan, stats):
    groups = _groups(work, plan)
    found = stats.f_oneway(*groups.values())
    total = sum(len(one) for one in groups.values())
    return {
        "statistic": found.statistic,
        "p_value": found.pvalue,
        "df": [len(groups) - 1, total - len(groups)],
        "groups": _summary(groups),
    }


_TESTS = {
    "t_one_sample": _one_sample, "t_student": _two_samples(True), "t_welch": _two_samples(False), "t_paired": _paired,
    "mann_whitney": _mann_whitney, "chi_squared": _independence, "chi_squared_fit": _fit, "anova": _anova,
}
