"""What happens while a question is answered, as it is told step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from tidegate._read import read
from tidegate._sse import Message
from tidegate.errors import UnexpectedAnswer
from tidegate.models import Answer, ConversationTotals

__all__ = ["Anew", "AskEvent", "History", "Step", "Unanswered", "Words"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step towards the answer.

    `name` is `started`, `searching`, `found`, `program`, `tool`, `running`, `output`, `call`, `approval`, `failed`, or
    what a newer gateway tells; `data` is what is told of it.
    """

    name: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Words:
    """More words of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Anew:
    """The words so far are not the answer; it begins anew."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """There is no answer; nothing comes after this."""

    code: str
    """A word that stays the same, such as `budget_exceeded`."""
    message: str


AskEvent: TypeAlias = Step | Words | Anew | Answer | Unanswered
"""One event; the last is an `Answer` of the models, or `Unanswered`."""


def ask_event_of(message: Message) -> AskEvent:
    """The event that a message of the stream tells."""
    try:
        data = json.loads(message.data)
    except ValueError as error:
        raise UnexpectedAnswer(f"an event `{message.event}` is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise UnexpectedAnswer(f"an event `{message.event}` is no object")
    return _event_of(message.event, data)


def _event_of(name: str, data: dict[str, Any]) -> AskEvent:
    match name:
        case "token":
            return read(Words, data)
        case "anew":
            return Anew()
        case "answer":
            return read(Answer, data)
        case "error":
            return read(Unanswered, data)
        case _:
            return Step(name, {key: value for key, value in data.items() if key != "type"})


def chat_message_of(text: str | bytes) -> dict[str, Any]:
    """What a message of a chat says."""
    try:
        told = json.loads(text)
    except ValueError as error:
        raise UnexpectedAnswer(f"a message of the chat is no JSON: {error}") from error
    if not isinstance(told, dict) or not isinstance(told.get("type"), str):
        raise UnexpectedAnswer("a message of the chat is no object with a `type`")
    return told


def chat_event_of(told: dict[str, Any]) -> AskEvent:
    """The event that a message of a chat tells, as a stream would."""
    name = told["type"]
    # Each message has these; in a stream only `started` has the conversation.
    extra = ("seq",) if name in ("started", "answer") else ("seq", "conversation")
    return _event_of(name, {key: value for key, value in told.items() if key not in extra})


@dataclass(frozen=True, slots=True)
class History:
    """What was said in a conversation before it was taken up again."""

    turns: list[dict[str, Any]]
    """Each with `question`, `answer`, `at`, `tokens` and `cost`, the latest last."""
    totals: ConversationTotals
    """What all of it used."""
    follows: bool = True
    """Whether a question of it is being answered, or just was: its events come next."""


def is_last(event: AskEvent) -> bool:
    """Whether nothing comes after it."""
    return isinstance(event, Answer | Unanswered)
