"""Turns whatever a program hands back into JSON that keeps its meaning.

`encode` never raises. What JSON has, crosses as itself; what it lacks, crosses as the
nearest thing a reader understands (a date as ISO 8601, a DataFrame as records with its
columns, dtypes and shape); what cannot cross at all is described:
`{"$type": "module.Class", "repr": "..."}`.

Two ways lead to the text. A value that is plain throughout goes to the C encoder
untouched; the check walks level by level with C iterators, so it costs less than the
encoding. Anything else is first copied into a plain tree by `_Walk`.

numpy and pandas are looked up, never imported: a program that does not use them must
not pay for them. A type is taken from `type(value)`, never from `value.__class__` or
`isinstance`, which an object can lie about.
"""

import datetime
import decimal
import fractions
import math
import reprlib
import sys
import types
import uuid
from binascii import b2a_base64
from collections import OrderedDict, UserList, deque
from collections.abc import Mapping, Set
from dataclasses import fields as _fields
from enum import Enum
from itertools import chain, islice
from json import JSONEncoder
from pathlib import PurePath

from _tidegate import tables

# serde_json stops at 128 levels; the rest is for the message around the value.
MAX_DEPTH = 100
# What CPython itself is willing to print.
MAX_DIGITS = 4300
# Digits of a Decimal that crosses as a whole number.
_LONGEST_WHOLE = 300
_MAX_REPR = 200
_PREVIEW = 500
_SMALL = 50

_ATOMS = frozenset({str, int, float, bool, type(None)})
_PLAIN = _ATOMS | {list, tuple, dict}
_STR_KEYS = {str}
_INT_KEYS = {int}
_ROW_KINDS = (list, tuple, deque, UserList, range, type({}.keys()), type({}.values()), type({}.items()))
# Every int below this has few enough digits, whatever the program set as the limit.
_SURELY_SHORT = 10**600

_flatten = chain.from_iterable
_digits_allowed = sys.get_int_max_str_digits
_encoder = JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))


def _make_dumps():
    """The C encoder made once; `JSONEncoder.encode` makes one for every value."""
    try:
        from json.encoder import c_make_encoder, encode_basestring

        pieces = c_make_encoder(None, _encoder.default, encode_basestring, None, ":", ",", False, False, False)
        if "".join(pieces({"é": [1.5, None]}, 0)) == '{"é":[1.5,null]}':
            return lambda value: "".join(pieces(value, 0))
    except Exception:
        pass  # Not a promise of the standard library; only the speed is lost.
    return _encoder.encode


_dumps = _make_dumps()


class _TooLarge(Exception):
    """The text would certainly exceed the limit; `args[0]` bytes at least."""


def encode_arguments(value):
    """The JSON text of what a tool is given: as `encode`, but a Decimal is a number."""
    return encode(value, None, _ArgumentWalk)[0]


def encode(value, limit=None, walk=None):
    """Returns `(text, too_large)`: the value as JSON text that is valid UTF-8.

    When the text would be longer than `limit` bytes, `too_large` is true and the text is
    `{"$type": "too_large", "bytes": n, "limit": limit, "preview": "..."}` instead, where
    `n` is a lower bound if building the whole text was not worth while.
    """
    try:
        try:
            text = _text(value, limit, walk or _Walk)
        except _TooLarge as error:
            return _too_large(error.args[0], limit, _preview(value)), True
        if not text.isascii():
            try:
                size = len(text.encode())
            except UnicodeEncodeError:
                # Lone surrogates stand only inside strings, and Python's escape
                # for them is the one JSON has.
                text = text.encode("utf-8", "backslashreplace").decode()
                size = len(text.encode())
        else:
            size = len(text)
        if limit is not None and size > limit:
            return _too_large(size, limit, text[:_PREVIEW]), True
        return text, False
    except BaseException as error:
        return _last_resort(value, error), False


def _text(value, limit, walk):
    if (type(value) in _ATOMS or _is_flat(value) or _is_plain(value, limit)) and 0 < _digits_allowed() <= MAX_DIGITS:
        try:
            return _dumps(value)
        except ValueError:
            pass  # NaN, an infinity, or an integer with too many digits.
    return _dumps(walk(limit).plain(value, 0))


def _is_flat(value):
    """Whether a value is what most arguments of calls are: a small dict of atoms."""
    return (
        type(value) is dict
        and len(value) <= _SMALL
        and _ATOMS.issuperset(map(type, value.values()))
        and _STR_KEYS.issuperset(map(type, value))
    )


def _is_plain(value, limit):
    """Whether the C encoder, as it is, gives the right text for all of `value`."""
    level = (value,)
    for _ in range(MAX_DEPTH + 1):
        kinds = set(map(type, level))
        if kinds <= _ATOMS:
            return True
        if not kinds <= _PLAIN:
            return False
        alone = len(kinds) == 1
        below = []
        size = 0
        if dict in kinds:
            maps = level if alone else [one for one in level if type(one) is dict]
            # The shortest pair is `"":0,`.
            size = sum(map(len, maps)) * 5
            if limit is not None and size > limit:
                raise _TooLarge(size)
            keys = set(map(type, _flatten(maps)))
            # Keys of one kind cannot become equal by turning into text.
            if keys and keys != _STR_KEYS and keys != _INT_KEYS:
                return False
            below.append(_flatten(map(dict.values, maps)))
        if list in kinds or tuple in kinds:
            rows = level if alone else [one for one in level if type(one) is list or type(one) is tuple]
            size += sum(map(len, rows)) * 2
            below.append(_flatten(rows))
        # Counted before it is built: a few shared lists can stand for 2**100 items.
        if limit is not None and size > limit:
            raise _TooLarge(size)
        level = list(_flatten(below))
    return False


def _too_large(size, limit, preview):
    note = {"$type": "too_large", "bytes": size, "limit": limit, "preview": preview}
    return _escaped(_dumps(note))


def _escaped(text):
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _preview(value):
    try:
        return _dumps(_Walk(_PREVIEW * 4, cut=True).plain(value, 0))[:_PREVIEW]
    except BaseException:
        return ""


def _last_resort(value, error):
    try:
        note = describe(value)
        note["problem"] = type(error).__name__
        return _escaped(_dumps(note))
    except BaseException:
        return '{"$type":"object","repr":"<unprintable>"}'


def is_beyond_memory(text):
    """Whether this stands for a value that there was no memory to write."""
    return text.startswith('{"$type":"') and text.endswith(',"problem":"MemoryError"}')


def is_described(value, text):
    """Whether a value became nothing but its description."""
    return text.startswith('{"$type":"') and ',"repr":' in text and type(value) not in _PLAIN


def describe(value):
    """What is said of a value that cannot cross: its type, and the start of its repr."""
    kind = type(value)
    try:
        name = str.__str__(kind.__qualname__)
        module = kind.__module__
        if type(module) is str and module not in ("builtins", "__main__"):
            name = f"{module}.{name}"
    except BaseException:
        name = "object"
    try:
        # The plain containers get here for being too deep or endless, and the
        # ordinary repr would follow them all the way.
        text = reprlib.repr(value) if kind in _PLAIN else repr(value)
        text = str.__str__(text)
    except BaseException:
        text = "<unprintable>"
    return {"$type": name[:_MAX_REPR], "repr": text[:_MAX_REPR]}


def _long_int(value):
    return f"<an integer of about {int(value.bit_length() * 0.30103) + 1} digits>"


def _float(value):
    if math.isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _bytes(value):
    return {"$type": "bytes", "base64": b2a_base64(value, newline=False).decode()}


def _complex(value):
    return {"$type": "complex", "real": _float(float(value.real)), "imag": _float(float(value.imag))}


def _timedelta(value):
    micros = (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
    # A Timedelta of pandas is a timedelta that is finer.
    return tables.duration(micros * 1000 + getattr(value, "nanoseconds", 0))


# Tried in this order on the type's ancestors, so a subclass stands before its base.
# Methods are those of the value: a Timestamp writes more digits than a datetime.
_LEAVES = {
    datetime.datetime: lambda value: value.isoformat(),
    datetime.date: lambda value: value.isoformat(),
    datetime.time: lambda value: value.isoformat(),
    datetime.timedelta: _timedelta,
    decimal.Decimal: str,
    fractions.Fraction: str,
    uuid.UUID: str,
    PurePath: str,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: lambda value: _bytes(value.tobytes()),
    complex: _complex,
}

# Kinds of ours, see `adopt`.
_ADOPTED = {}


def adopt(kind, convert):
    """Lets `convert` say what values of exactly this type cross as."""
    _ADOPTED[kind] = convert


def adopted(value):
    """What such a value crosses as."""
    return _ADOPTED[type(value)](value)


def _leaf_for(kind):
    found = _LEAVES.get(kind)
    if found is None:
        for base, convert in _LEAVES.items():
            if issubclass(kind, base):
                return convert
    return found


def _inherits_from(kind, library):
    return any(type(base.__module__) is str and base.__module__.startswith(library) for base in kind.__mro__)


class _Walk:
    """One copy of a value into a tree of plain lists, dicts and scalars.

    `room` is how many bytes are left. When it is used up, the walk gives up; with `cut`
    it stops adding to what it has instead, which is enough for the start of the text.
    """

    max_depth = MAX_DEPTH

    def __init__(self, limit=None, cut=False):
        self.room = math.inf if limit is None else limit
        self.limit = limit
        self.cut = cut
        self.above = set()  # ids of the containers being copied: meeting one is a cycle

    def take(self, size):
        self.room -= size
        if self.room < 0 and not self.cut:
            raise _TooLarge(self.limit - self.room)

    def plain(self, value, depth, cell=False):
        """The plain form of `value`; in a `cell` of a table, what is missing is null."""
        kind = type(value)
        if kind is str:
            self.take(len(value) + 3)
            return value[:_PREVIEW] if self.cut else value
        self.take(2)
        if value is None or kind is bool:
            return value
        if kind is float:
            return None if cell and value != value else _float(value)
        if kind is int and -_SURELY_SHORT < value < _SURELY_SHORT:
            return value
        if depth >= MAX_DEPTH or id(value) in self.above:
            return self.leaf_or_description(value, kind)
        self.above.add(id(value))
        try:
            if kind is dict:
                return self.mapping(value.items(), depth)
            if kind is list or kind is tuple:
                return self.rows(value, depth)
            return self.other(value, kind, depth, cell)
        except (_TooLarge, MemoryError):
            raise
        except BaseException:
            return describe(value)
        finally:
            self.above.discard(id(value))

    def leaf_or_description(self, value, kind):
        try:
            convert = _leaf_for(kind)
            return describe(value) if convert is None else self.leaf(value, kind, convert)
        except (_TooLarge, MemoryError):
            raise
        except BaseException:
            return describe(value)

    def leaf(self, value, kind, convert):
        if kind.__name__ == "NaTType":
            return None
        made = convert(value)
        if type(made) is dict:
            self.take(len(made.get("base64", "")))
            return made
        # Subclasses may answer with anything; this raises unless it is text.
        return str.__str__(made)

    def rows(self, values, depth, cell=False):
        if not self.cut and len(values) * 2 > self.room:
            self.take(len(values) * 2)
        depth += 1
        plain = self.plain
        if not self.cut:
            return [plain(one, depth, cell) for one in values]
        kept = []
        for one in values:
            if self.room < 0:
                break
            kept.append(plain(one, depth, cell))
        return kept

    def mapping(self, pairs, depth):
        """An object, or a list of pairs where two keys would become one."""
        pairs = list(islice(pairs, _PREVIEW) if self.cut else pairs)
        texts = [key if type(key) is str else self.key(key) for key, _ in pairs]
        self.take(sum(map(len, texts)) + 3 * len(texts))
        plain = self.plain
        if self.cut and self.room < 0:
            return {}
        if len(set(texts)) == len(texts):
            depth += 1
            return {text: plain(value, depth) for text, (_, value) in zip(texts, pairs)}
        depth += 3
        return {"$type": "dict", "items": [[plain(key, depth), plain(value, depth)] for key, value in pairs]}

    def key(self, key):
        """A key as the text JSON would use, or as `str` gives it."""
        kind = type(key)
        form = key
        if issubclass(kind, str):
            return str.__str__(key)
        if kind not in _ATOMS and kind is not tuple:
            form = _Walk(self.limit, self.cut).plain(key, MAX_DEPTH - 1)
        if type(form) is str:
            return form
        if form is None or type(form) is bool:
            return {None: "null", True: "true", False: "false"}[form]
        if type(form) is int:
            try:
                return int.__repr__(form)
            except ValueError:
                return _long_int(form)
        if type(form) is float:
            form = _float(form)
            return form if type(form) is str else float.__repr__(form)
        try:
            return str.__str__(str(key))
        except BaseException:
            return describe(key)["repr"]

    def other(self, value, kind, depth, cell):
        """Everything that is not exactly one of the plain types."""
        adopted = _ADOPTED.get(kind)
        if adopted is not None:
            return self.plain(adopted(value), depth + 1, cell)
        if issubclass(kind, Enum):
            return self.plain(value.value, depth + 1)
        convert = _leaf_for(kind)
        if convert is not None:
            return self.leaf(value, kind, convert)
        if issubclass(kind, int):
            return self.integer(value)
        if issubclass(kind, float):
            return self.plain(float.__pos__(value), depth, cell)
        if issubclass(kind, str):
            return self.plain(str.__str__(value), depth)
        if issubclass(kind, dict):
            # An OrderedDict keeps its order beside the dict; others may be read as dicts.
            return self.mapping(value.items() if issubclass(kind, OrderedDict) else dict.items(value), depth)
        if issubclass(kind, tuple):
            names = getattr(kind, "_fields", None)
            if type(names) is tuple and len(names) == len(value) and set(map(type, names)) <= _STR_KEYS:
                return self.mapping(zip(names, value), depth)
        if issubclass(kind, _ROW_KINDS):
            return self.rows(value, depth)
        if issubclass(kind, (set, frozenset)):
            return self.rows(self.sorted(value), depth)

        module = getattr(kind, "__module__", "")
        root = module.partition(".")[0] if type(module) is str else ""
        for name in ("numpy", "pandas"):
            library = sys.modules.get(name)
            if library is not None and (root == name or _inherits_from(kind, name)):
                try:
                    found, made = tables.plain(self, library, name, value, kind, depth)
                except (TypeError, ValueError, AttributeError, NotImplementedError):
                    # A kind of table that cannot be read like the others, such as a sparse one.
                    return describe(value)
                if found:
                    return made
        return self.structure(value, kind, depth)

    def integer(self, value):
        try:
            text = int.__repr__(value)
            if len(text) <= MAX_DIGITS + 1:
                self.take(len(text))
                return int.__pos__(value)
        except ValueError:
            pass
        return {"$type": "int", "repr": _long_int(value)}

    def sorted(self, values):
        """A set's order differs from run to run, so it is given one."""
        values = list(values)
        self.take(len(values) * 2)
        try:
            ordered = sorted(values)
            # Sorting by inclusion or the like is no order: it depends on the start.
            if not values or not issubclass(type(ordered[0]), (set, frozenset)):
                return ordered
        except Exception:
            pass
        return sorted(values, key=lambda one: (type(one).__name__, repr(one)))

    def structure(self, value, kind, depth):
        """Objects that say themselves what they consist of."""
        if hasattr(kind, "__dataclass_fields__"):
            names = [field.name for field in _fields(kind)]
        elif type(getattr(kind, "__attrs_attrs__", None)) is not type(None):
            names = [field.name for field in kind.__attrs_attrs__]
        elif callable(getattr(kind, "model_dump", None)):
            return self.plain(value.model_dump(), depth + 1)
        elif hasattr(kind, "__fields__") and callable(getattr(kind, "dict", None)):
            return self.plain(value.dict(), depth + 1)
        elif issubclass(kind, types.SimpleNamespace):
            return self.mapping(vars(value).items(), depth)
        elif kind.__name__ == "Row" and kind.__module__ == "sqlite3":
            return self.mapping(zip(value.keys(), value), depth)
        elif kind.__name__ == "array" and kind.__module__ == "array":
            return self.rows(value.tolist(), depth)
        elif issubclass(kind, Mapping):
            return self.mapping(value.items(), depth)
        elif issubclass(kind, Set):
            return self.rows(self.sorted(value), depth)
        else:
            return describe(value)
        unset = object()
        pairs = [(name, getattr(value, name, unset)) for name in names]
        return self.mapping([pair for pair in pairs if pair[1] is not unset], depth)


class _ArgumentWalk(_Walk):
    """The same for what a tool is given, where text in place of a number would be refused."""

    def leaf(self, value, kind, convert):
        if issubclass(kind, decimal.Decimal):
            number = _number(value)
            if number is not None:
                return number
        return _Walk.leaf(self, value, kind, convert)


def _number(value):
    """A Decimal as the number it is nearest to; None for one that JSON has no number for."""
    if not decimal.Decimal.is_finite(value):
        return None
    if decimal.Decimal.as_tuple(value).exponent >= 0 and decimal.Decimal.adjusted(value) < _LONGEST_WHOLE:
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else None
