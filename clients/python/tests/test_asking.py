"""Questions in words: answered, followed, refused, and kept as conversations."""

import pytest

from tidegate import ApiError, Step, Tidegate, Unanswered, Words
from tidegate.models import Answer


def test_a_question_is_answered_with_what_a_program_found(gate: Tidegate) -> None:
    answer = gate.ask("How much is it?", context={"factor": 4})
    assert (answer.answer, answer.mode, answer.arm) == ("It is 42.", "code", "code")
    [run] = answer.runs
    assert gate.runs.read(run).return_value == 42
    assert answer.totals.tokens == 240


def test_an_answer_may_be_any_json(gate: Tidegate) -> None:
    answer = gate.ask("Which ones?", schema={"type": "array", "items": {"type": "integer"}})
    assert answer.value == [4, 2]


def test_a_stream_tells_each_step_and_each_word(gate: Tidegate) -> None:
    with gate.ask_stream("How much is it?") as events:
        told = list(events)
    steps = [one.name for one in told if isinstance(one, Step)]
    assert [steps[0], *(name for name in steps if name in ("program", "running"))] == ["started", "program", "running"]
    printed = next(one for one in told if isinstance(one, Step) and one.name == "output")
    assert printed.data == {"stream": "stdout", "text": "looking\n"}
    words = [one.text for one in told if isinstance(one, Words)]
    assert len(words) > 1
    last = told[-1]
    assert isinstance(last, Answer)
    assert last.answer == "".join(words) == "It is 42."


def test_a_question_without_an_answer_says_why(gate: Tidegate) -> None:
    with pytest.raises(ApiError) as raised:
        gate.ask("Refuse this.")
    assert (raised.value.status, raised.value.code) == (422, "model_refused")
    with gate.ask_stream("Refuse this.") as events:
        last = list(events)[-1]
    assert isinstance(last, Unanswered)
    assert last.code == "model_refused"


def test_a_conversation_goes_on_and_is_kept_with_what_it_used(gate: Tidegate) -> None:
    first = gate.ask("How much is it?")
    second = gate.ask("And now?", conversation=first.conversation)
    kept = gate.conversations.read(first.conversation)
    assert [(turn.question, turn.answer) for turn in kept.turns] == [
        ("How much is it?", "It is 42."),
        ("And now?", "It is 42."),
    ]
    assert (kept.totals.tokens, kept.totals) == (480, second.totals)
    heading = next(one for one in gate.conversations.list() if one.id == first.conversation)
    assert (heading.turns, heading.question) == (2, "And now?")
    with pytest.raises(ApiError, match="no conversation"):
        gate.conversations.read("c_" + "0" * 32)
