"""Models that predict one column from others, fitted and scored by scikit-learn.

Rows with a missing value in the target or a feature are dropped, and it is said which.
Columns of text or of true and false become one column for each value; for linear and logistic
models the first value has none, because the others say it already.
"""

from _tidegate import analysis_check as check
from _tidegate import analysis_rows
from _tidegate.analysis_check import AnalysisError, listed, rows

MODELS = ("linear", "logistic", "random_forest", "random_forest_classifier", "random_forest_regressor")
_MOST_VALUES = 50
_MOST_COLUMNS = 500
_FEW_NUMBERS = 10
# Trees compute with 32 bits.
_LARGEST = 1e38

PARAMETERS = {
    "model": check.one_of(*MODELS), "target": check.name, "features": check.texts, "test_size": check.share,
    "random_state": check.whole, "n_estimators": check.positive, "max_depth": check.positive, "max_iter": check.positive,
    "c": check.number, "new_data": check.anything, "new_data_field": check.text,
}


def prepare(parameters):
    """The checked parameters of a prediction."""
    plan = check.parameters(parameters, PARAMETERS, "predict", ("model", "target"))
    for name, models in (("n_estimators", "random"), ("max_depth", "random"), ("max_iter", "logistic"), ("c", "logistic")):
        if name in plan and not plan["model"].startswith(models):
            raise AnalysisError(f"the model {plan['model']!r} does not take {name!r}")
    if plan["target"] in plan.get("features", ()):
        raise AnalysisError(f"{plan['target']!r} is the target, so it cannot be a feature")
    if plan.get("new_data") is not None:
        plan["sources"] = [(plan["new_data"], plan.get("new_data_field"), "'new_data'")]
    return plan


def compute(work, plan):
    try:
        import sklearn  # noqa: F401
        from sklearn.model_selection import train_test_split
    except ImportError:
        raise AnalysisError("predictions need scikit-learn, which this image does not have") from None
    if not len(work.table):
        raise AnalysisError("there are no rows to learn from")
    target, classifies = _target(work, plan)
    features, encoding = _features(work, plan)
    used = target.notna().to_numpy() & features.notna().all(axis=1).to_numpy()
    target, features = target[used].infer_objects(), features[used]
    if len(target) < 5:
        raise AnalysisError(f"only {rows(len(target), 'have')} a value in the target and all features; at least 5 are needed")
    if classifies and target.nunique() < 2:
        raise AnalysisError(f"{plan['target']!r} has one value only; there is nothing to predict")
    state = plan.get("random_state", 0)
    parts = train_test_split(features, target, test_size=plan.get("test_size", 0.25), random_state=state)
    train_features, test_features, train_target, test_target = parts
    model = _fitted(work, plan, classifies, state, train_features, train_target)
    result = {
        "model": type(model).__name__,
        "task": "classification" if classifies else "regression",
        "target": plan["target"],
        "features": list(features.columns),
        "rows_used": len(target),
        "rows_dropped": _dropped(work, used),
        "rows_train": len(train_target),
        "rows_test": len(test_target),
        "score": _score(model, classifies, test_features, test_target),
        **_what_counts(model, list(features.columns)),
    }
    if plan.get("new_data") is not None:
        result["predictions"] = _predictions(work, plan, model, encoding)
    return {"result": result}


def _dropped(work, used):
    import numpy

    at = numpy.flatnonzero(~used)
    if len(at):
        work.notes.add(f"{rows(len(at), 'were')} dropped for a missing value in the target or a feature")
    return {"count": len(at), "indexes": [work.index(one) for one in at[:100].tolist()]}


# --- columns ------------------------------------------------------------------------------------


def _target(work, plan):
    """The column to predict, and whether it names classes."""
    import pandas

    table, name, model = work.table, plan["target"], plan["model"]
    column = table.column(name)
    kind = analysis_rows.kind_of(column)
    if kind not in ("number", "boolean", "text"):
        raise AnalysisError(f"{name!r} cannot be predicted: it is {kind}, not numbers, text, or true and false")
    few = kind == "number" and column.nunique() <= _FEW_NUMBERS and column.dtype.kind in "iu"
    classifies = model in ("logistic", "random_forest_classifier") or model == "random_forest" and (kind != "number" or few)
    if classifies:
        if kind == "number" and not few:
            many = f"{column.nunique()} different numbers"
            raise AnalysisError(f"{name!r} has {many}, too many for classes; use a linear model or a regressor")
        if model == "random_forest" and few:
            work.notes.add(f"{name!r} has few different whole numbers and was taken for classes; a regressor predicts numbers")
        # As they are in JSON, so that predictions are written like the data.
        return pandas.Series(analysis_rows.cells_of(column), dtype="object"), True
    if kind != "number":
        raise AnalysisError(f"{name!r} is {kind}, and the model {model!r} predicts numbers; use logistic or random_forest")
    return _finite(table.numbers(name, work.notes, "the target")), False


def _finite(values):
    """What is infinite, or nearly so, is missing: nothing can be fitted to it."""
    return values.where(values.abs() < _LARGEST)


def _features(work, plan):
    """The columns to predict from, all numbers, and how they were made."""
    table = work.table
    names = plan.get("features") or [one for one in table.names if one != plan["target"]]
    encoding = []
    for name in names:
        column = table.column(name)
        kind = analysis_rows.kind_of(column)
        values = None
        if kind in ("text", "boolean"):
            values = sorted(column.dropna().unique().tolist())
        problem = None
        if kind in ("empty", "nested", "date", "duration", "mixed"):
            problem = f"it is {kind}"
        elif values is not None and len(values) > _MOST_VALUES:
            problem = f"it has {len(values)} different values, more than {_MOST_VALUES}"
        if problem is None:
            encoding.append((name, values))
        elif "features" in plan:
            raise AnalysisError(f"{name!r} cannot be a feature: {problem}")
        else:
            work.notes.add(f"{name!r} was not taken as a feature: {problem}")
    if not encoding:
        raise AnalysisError(f"there are no columns to predict from. Columns: {listed(table.names)}")
    made = _encoded(work, table, encoding, plan)
    if made.shape[1] > _MOST_COLUMNS:
        raise AnalysisError(f"the features are {made.shape[1]} columns; at most {_MOST_COLUMNS} are taken")
    return made, encoding


def _encoded(work, table, encoding, plan):
    import numpy
    import pandas

    first = 0 if plan["model"].startswith("random") else 1
    columns = {}
    for name, values in encoding:
        if values is None:
            columns[name] = _finite(table.numbers(name, work.notes, "a feature"))
            continue
        column = table.column(name)
        missing = column.isna().to_numpy()
        for value in values[first:] if len(values) > 1 else values:
            same = (column == value).to_numpy(dtype=bool, na_value=False).astype("float64")
            columns[f"{name}={value if isinstance(value, str) else str(value).lower()}"] = numpy.where(missing, numpy.nan, same)
    return pandas.DataFrame(columns, index=range(len(table)))


# --- models -------------------------------------------------------------------------------------


def _fitted(work, plan, classifies, state, features, target):
    import warnings

    if plan["model"] == "linear":
        from sklearn.linear_model import LinearRegression

        model = LinearRegression()
    elif plan["model"] == "logistic":
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(max_iter=plan.get("max_iter", 1000), C=plan.get("c", 1.0), random_state=state)
    else:
        from sklearn import ensemble

        kind = ensemble.RandomForestClassifier if classifies else ensemble.RandomForestRegressor
        model = kind(n_estimators=plan.get("n_estimators", 100), max_depth=plan.get("max_depth"), random_state=state)
    if classifies and target.nunique() < 2:
        raise AnalysisError("all rows to learn from are of one class; give more rows, or another 'random_state'")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(features.to_numpy(), target.to_numpy())
    if any(one.category.__name__ == "ConvergenceWarning" for one in caught):
        work.notes.add("the model has not settled; scale the features, or give a larger 'max_iter'")
    return model


def _score(model, classifies, features, target):
    """How good the model is on rows that it has not seen."""
    from sklearn import metrics

    found = model.predict(features.to_numpy())
    actual = target.to_numpy()
    if not classifies:
        return {
            "r2": metrics.r2_score(actual, found) if len(actual) > 1 else None,
            "mae": metrics.mean_absolute_error(actual, found),
            "rmse": metrics.mean_squared_error(actual, found) ** 0.5,
        }
    classes = model.classes_.tolist()
    names = [str(one) for one in classes]
    actual, found = [[str(one) for one in some.tolist()] for some in (actual, found)]
    return {
        "accuracy": metrics.accuracy_score(actual, found),
        "f1_macro": metrics.f1_score(actual, found, average="macro", zero_division=0),
        "classes": classes,
        "confusion": metrics.confusion_matrix(actual, found, labels=names),
    }


def _what_counts(model, names):
    """Coefficients, or importances with the largest first."""
    if hasattr(model, "feature_importances_"):
        pairs = sorted(zip(names, model.feature_importances_.tolist()), key=lambda pair: -pair[1])
        return {"importances": dict(pairs)}
    coefficients = model.coef_
    if coefficients.ndim == 1:
        return {"intercept": float(model.intercept_), "coefficients": dict(zip(names, coefficients.tolist()))}
    if len(coefficients) == 1:
        return {
            "intercept": float(model.intercept_[0]),
            "coefficients": dict(zip(names, coefficients[0].tolist())),
            "coefficients_of": model.classes_.tolist()[1],
        }
    classes = [str(one) for one in model.classes_.tolist()]
    return {
        "intercept": dict(zip(classes, model.intercept_.tolist())),
        "coefficients": {one: dict(zip(names, row)) for one, row in zip(classes, coefficients.tolist())},
    }


def _predictions(work, plan, model, encoding):
    """What the model says of new rows; null where a feature is missing or has a new value."""
    other = work.other(plan["new_data"], plan.get("new_data_field"))
    if not len(other):
        return []
    features = _encoded(work, other, encoding, plan)
    known = features.notna().all(axis=1)
    for name, values in encoding:
        if values is not None:
            known &= other.column(name).isin(values)
    made = [None] * len(other)
    if known.any():
        found = model.predict(features[known].to_numpy()).tolist()
        for at, value in zip(known.to_numpy().nonzero()[0].tolist(), found):
            made[at] = value
    unknown = int((~known).sum())
    if unknown:
        work.notes.add(f"{rows(unknown, 'have')} no prediction: a feature is missing, or has a value that was not learnt")
    return made
