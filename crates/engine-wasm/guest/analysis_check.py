"""What is wrong with a request, said so that the next one is right.

Every mistake is an `AnalysisError`: what is wrong, what is valid there, and the nearest
name. Parameters are checked before any data is read, so a misspelt one calls no tool.
"""

import math

from _tidegate import binding

_MOST_LISTED = 30
_MOST_TEXT = 80
# Taken from the parameters of an analysis before its own are looked at.
_EVERYWHERE = dict.fromkeys(
    ("aggregate", "validate", "timeseries", "correlate", "describe", "test", "predict"), ("conditions", "logic", "data_field")
) | dict.fromkeys(("filter", "transform"), ("data_field",))


class AnalysisError(ValueError):
    """The request cannot be answered; the message says what to change."""


AnalysisError.__module__ = "tidegate"


def shown(value):
    """A value as a message shows it: short, whatever it is."""
    try:
        if isinstance(value, (str, bytes)):
            text = repr(value[:_MOST_TEXT])
            return text if len(value) <= _MOST_TEXT else text + "..."
        if isinstance(value, (list, tuple, dict, set)):
            return f"a {kind(value)} of {len(value)}"
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + "..."


def kind(value):
    """The kind of a value, as JSON calls it."""
    if value is None:
        return "null"
    names = ((bool, "boolean"), ((int, float), "number"), (str, "text"), (dict, "object"), ((list, tuple), "list"))
    return next((name for types, name in names if isinstance(value, types)), type(value).__name__)


def listed(names):
    """Names for a message, not more than can be read."""
    names = [one if isinstance(one, str) else shown(one) for one in names]
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return (", ".join([one[:_MOST_TEXT] for one in names[:_MOST_LISTED]]) or "none") + more


def nearest(name, candidates):
    """The candidate most likely meant, as a question, or nothing."""
    near = binding.nearest(name, [one for one in candidates if isinstance(one, str)]) if isinstance(name, str) else None
    return f" Did you mean {near!r}?" if near else ""


def choice(value, valid, where):
    """One of `valid`, or an error that lists them."""
    if isinstance(value, str) and value in valid:
        return value
    folded = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else None
    if folded in valid:
        return folded
    raise AnalysisError(f"{where} is {shown(value)}.{nearest(value, valid)} Valid: {listed(valid)}")


def parameters(given, valid, where, required=()):
    """The parameters, each checked by its function in `valid`; those left out are not there."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise AnalysisError(f"{where} must be an object with {listed(valid)}, not {shown(given)}")
    check_keys(given, valid, where)
    checked = {}
    for name, value in given.items():
        if value is not None or valid[name] is anything:
            checked[name] = valid[name](value, f"{name!r} of {where}")
    for name in required:
        if name not in checked:
            raise AnalysisError(f"{where} needs {name!r}. Its parameters: {listed(valid)}")
    return checked


def check_keys(given, valid, where):
    """Refuses names that nothing here has."""
    for name in given:
        if name not in valid:
            known = [*valid, *_EVERYWHERE.get(where, ())]
            raise AnalysisError(f"{where} has no parameter {shown(name)}.{nearest(name, known)} Valid: {listed(known)}")


# --- what a parameter can be: each takes the value and where it stands -------------------


def anything(value, where):
    return value


def text(value, where):
    if not isinstance(value, str) or not value:
        raise AnalysisError(f"{where} must be a text, not {shown(value)}")
    return value


def name(value, where):
    """The name of a column, which may be empty."""
    return value if isinstance(value, str) else text(value, where)


def texts(value, where):
    """One name or a list of them."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, (list, tuple)) or not all(isinstance(one, str) for one in found):
        raise AnalysisError(f"{where} must be a name or a list of names, not {shown(value)}")
    repeated = next((one for at, one in enumerate(found) if one in found[:at]), None) if len(found) < 1000 else None
    if repeated is not None:
        raise AnalysisError(f"{where} has {shown(repeated)} twice")
    return list(found)


def boolean(value, where):
    if not isinstance(value, bool):
        raise AnalysisError(f"{where} must be true or false, not {shown(value)}")
    return value


def number(value, where):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise AnalysisError(f"{where} must be a number, not {shown(value)}")
    return value


def whole(value, where, least=0):
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 53:
        raise AnalysisError(f"{where} must be a whole number from {least}, not {shown(value)}")
    return value


def positive(value, where):
    return whole(value, where, 1)


def share(value, where):
    """A number above 0 and below 1."""
    if not 0 < number(value, where) < 1:
        raise AnalysisError(f"{where} must be above 0 and below 1, not {shown(value)}")
    return value


def mapping(value, where):
    """An object whose keys are texts."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise AnalysisError(f"{where} must be an object, not {shown(value)}")
    return value


def several(value, where):
    """A list; one thing alone is a list of it."""
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, (list, tuple)):
        raise AnalysisError(f"{where} must be a list, not {shown(value)}")
    return list(value)


def one_of(*valid):
    return lambda value, where: choice(value, valid, where)


def percent(value, where):
    """A percentile as a share: 0.95, 95 and "p95" are the same."""
    given = value
    if isinstance(value, str) and value[:1] in ("p", "P"):
        try:
            value = float(value[1:]) / 100
        except ValueError:
            pass
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and 1 < value <= 100:
        value = value / 100
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise AnalysisError(f'{where} must be a percentile such as 0.95, 95 or "p95", not {shown(given)}')
    return value


def percent_name(value):
    """0.95 as `p95`."""
    return "p" + format(round(value * 100, 10), "g")


def percents(value, where):
    return [percent(one, where) for one in (value if isinstance(value, (list, tuple)) else [value])]


class Notes:
    """What the reader of a result should know: in order, each once, and not too many."""

    MOST = 50

    def __init__(self):
        self.texts = []
        self._left_off = 0

    def add(self, text):
        if text in self.texts:
            return
        if len(self.texts) < self.MOST:
            self.texts.append(text)
        else:
            self._left_off += 1

    def all(self):
        more = [f"{self._left_off} more notes were left off"] if self._left_off else []
        return self.texts + more


def rows(count, verb=None):
    """"1 row", "2 rows"; with "have" also "1 row has"."""
    said = f"{count} row{'s' * (count != 1)}"
    if verb is None:
        return said
    return f"{said} {_SINGULAR[verb] if count == 1 else verb}"


_SINGULAR = {"have": "has", "were": "was", "are": "is"}
