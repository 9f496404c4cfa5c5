"""What the tests of analyses share: how one is asked, and rows made by chance."""

import asyncio
import json
import math
import unittest

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import analysis
from _tidegate.analysis_check import AnalysisError

try:
    import numpy as np
    import pandas as pd
except ImportError:
    np = pd = None

try:
    import scipy
except ImportError:
    scipy = None

try:
    import sklearn
except ImportError:
    sklearn = None

needs_pandas = unittest.skipIf(pd is None, "pandas is not installed")
needs_scipy = unittest.skipIf(scipy is None, "scipy is not installed")
needs_sklearn = unittest.skipIf(sklearn is None, "scikit-learn is not installed")

CITIES = ("Bonn", "Kiel", "Ulm", "Jena", "bonn")


def ask(analysis_type, data, **parameters):
    """The one place that knows how an analysis is asked: the whole answer, which is JSON."""
    answer = asyncio.run(analysis.run({"analysis_type": analysis_type, "data": data, "parameters": parameters}))
    json.dumps(answer, allow_nan=False)
    return answer


def result(analysis_type, data, **parameters):
    return ask(analysis_type, data, **parameters)["result"]


def refusal(analysis_type, data, **parameters):
    """What is said about a request that is refused."""
    try:
        answer = ask(analysis_type, data, **parameters)
    except AnalysisError as error:
        assert "could not be computed" not in str(error), error
        return str(error)
    raise AssertionError(f"it was answered: {str(answer)[:300]}")


def sometimes(chance, value, missing=0.15):
    return None if chance.random() < missing else value


def chance_rows(chance, count):
    """Records with numbers, text, booleans and dates, some of them missing."""
    return [
        {
            "id": at,
            "n": sometimes(chance, chance.randrange(-5, 6)),
            "f": sometimes(chance, round(chance.uniform(-3, 3), chance.choice([1, 6]))),
            "s": sometimes(chance, chance.choice(CITIES)),
            "b": chance.random() < 0.5,
            "d": sometimes(chance, f"2024-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"),
            "inner": {"x": chance.randrange(4)},
        }
        for at in range(count)
    ]


def frame_of(rows):
    """The same rows as somebody would put them into pandas."""
    frame = pd.DataFrame(rows)
    frame["n"] = frame["n"].astype("float64")
    frame["f"] = frame["f"].astype("float64")
    frame["d"] = pd.to_datetime(frame["d"])
    frame["x"] = [row["inner"]["x"] for row in rows]
    return frame


def same(one, other):
    """Whether two plain values are equal, up to the last digits of a float; missing is missing."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if one is None or other is None or one is getattr(pd, "NA", None) or other is getattr(pd, "NA", None):
        return _gone(one) and _gone(other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or one != one and other != other
    return one == other


def _gone(value):
    return value is None or value is getattr(pd, "NA", None) or value is getattr(pd, "NaT", None) or value != value
