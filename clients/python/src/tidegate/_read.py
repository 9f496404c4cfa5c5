"""JSON into dataclasses, by their types.

What a newer gateway says beyond them is left alone: fields that are not known, and words that were not there. What is
missing or of another kind is an `UnexpectedAnswer` that says where.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from tidegate.errors import UnexpectedAnswer

T = TypeVar("T")
Reader: TypeAlias = Callable[[Any, str], Any]


def read(kind: type[T], value: Any) -> T:
    """The value as this class has it."""
    hint: Any = kind
    made: T = _reader(hint)(value, kind.__name__)
    return made


@functools.cache
def _reader(kind: Any) -> Reader:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value, _: value
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind)
    if origin in (Union, types.UnionType):
        return _either(inner)
    if origin is list:
        return _list(inner[0])
    if origin is dict:
        return _map(inner[1])
    if origin is Literal:
        return _plain(str)
    if kind is datetime:
        return _moment
    return _plain(kind)


def _record(kind: type[Any]) -> Reader:
    # Looked up when it is first used: classes may name each other, and themselves.
    @functools.cache
    def fields() -> list[tuple[str, str, bool, Reader]]:
        hints = get_type_hints(kind)
        return [
            (
                one.name,
                one.metadata.get("name", one.name),
                one.default is dataclasses.MISSING,
                _reader(hints[one.name]),
            )
            for one in dataclasses.fields(kind)
        ]

    def reader(value: Any, at: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(value, "an object", at)
        made = {}
        for name, key, is_required, field in fields():
            if key in value:
                made[name] = field(value[key], f"{at}.{key}")
            elif is_required:
                raise UnexpectedAnswer(f"`{at}.{key}` is missing from the gateway's answer")
        return kind(**made)

    return reader


def _either(kinds: tuple[Any, ...]) -> Reader:
    readers = [_reader(kind) for kind in kinds if kind is not type(None)]
    is_nullable = type(None) in kinds

    def reader(value: Any, at: str) -> Any:
        if value is None and is_nullable:
            return None
        for one in readers[:-1]:
            try:
                return one(value, at)
            except UnexpectedAnswer:
                continue
        return readers[-1](value, at)

    return reader


def _list(kind: Any) -> Reader:
    member = _reader(kind)

    def reader(value: Any, at: str) -> Any:
        if not isinstance(value, list):
            raise _wrong(value, "a list", at)
        return [member(one, f"{at}[{index}]") for index, one in enumerate(value)]

    return reader


def _map(kind: Any) -> Reader:
    member = _reader(kind)

    def reader(value: Any, at: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(value, "an object", at)
        return {key: member(one, f"{at}.{key}") for key, one in value.items()}

    return reader


def _plain(kind: type[Any]) -> Reader:
    accepted = (int, float) if kind is float else (kind,)

    def reader(value: Any, at: str) -> Any:
        if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
            raise _wrong(value, kind.__name__, at)
        return value

    return reader


def _moment(value: Any, at: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _wrong(value, "a moment", at) from None


def _wrong(value: Any, wanted: str, at: str) -> UnexpectedAnswer:
    return UnexpectedAnswer(f"`{at}` of the gateway's answer is {type(value).__name__} and not {wanted}")
