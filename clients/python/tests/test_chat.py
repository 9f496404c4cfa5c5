"""Conversations over one connection: streamed, cancelled, lost and taken up again, by two users at once."""

import asyncio
import sys

import pytest
from gateway import Gateway

from tidegate import ApiError, AsyncTidegate, ChatRefused, ConnectionFailed, Step, Tidegate, Unanswered, Words
from tidegate.models import Answer

STEPS = ["started", "searching", "found", "program", "running", "output"]


def test_a_conversation_goes_on_over_one_connection(gate: Tidegate) -> None:
    with gate.chat() as chat:
        told = list(chat.ask("How much is it?", context={"factor": 4}))
        assert [one.name for one in told if isinstance(one, Step)] == STEPS
        assert Step("output", {"stream": "stdout", "text": "looking\n"}) in told
        words = [one.text for one in told if isinstance(one, Words)]
        first = told[-1]
        assert isinstance(first, Answer)
        assert (first.answer, "".join(words)) == ("It is 42.", "It is 42.")
        assert len(words) > 1
        assert chat.conversation == first.conversation
        second = list(chat.ask("And now?"))[-1]
    assert isinstance(second, Answer)
    assert (second.conversation, second.totals.tokens) == (first.conversation, 480)
    kept = gate.conversations.read(first.conversation)
    assert [turn.question for turn in kept.turns] == ["How much is it?", "And now?"]
    with gate.chat(first.conversation) as chat:
        third = list(chat.ask("And then?"))[-1]
    assert isinstance(third, Answer)
    assert third.totals.tokens == 720


def test_a_connection_that_is_lost_is_made_again_and_nothing_is_missed(gate: Tidegate) -> None:
    with gate.chat() as chat:
        told = []
        for event in chat.ask("How much is it?"):
            told.append(event)
            if isinstance(event, Step) and event.name in ("started", "program"):
                assert chat._line is not None
                chat._line.socket.shutdown(2)
    assert [one.name for one in told if isinstance(one, Step)] == STEPS
    assert "".join(one.text for one in told if isinstance(one, Words)) == "It is 42."
    assert isinstance(told[-1], Answer)


def test_somebody_else_takes_a_conversation_up_where_it_was_left(gate: Tidegate) -> None:
    with gate.chat() as chat:
        events = chat.ask("How much is it?")
        began = [next(events), next(events)]
    assert [one.name for one in began if isinstance(one, Step)] == ["started", "searching"]
    assert chat.conversation is not None
    with gate.chat() as other:
        history = other.resume(chat.conversation, after=2)
        assert history.turns == [] or history.turns[0]["question"] == "How much is it?"
        told = list(other.events())
        assert [one.name for one in told if isinstance(one, Step)] == STEPS[2:]
        assert isinstance(told[-1], Answer)
        kept = other.resume(chat.conversation, after=10_000)
        assert (len(kept.turns), kept.turns[0]["answer"], kept.totals.tokens) == (1, "It is 42.", 240)


def test_a_question_is_cancelled_and_another_one_asked(gate: Tidegate) -> None:
    with gate.chat() as chat:
        told = []
        for event in chat.ask("Linger on this."):
            told.append(event)
            if isinstance(event, Step) and event.name == "output":
                chat.cancel()
        last = told[-1]
        assert isinstance(last, Unanswered)
        assert last.code == "cancelled"
        # There is nothing any more, which is no news.
        chat.cancel()
        answer = list(chat.ask("How much is it?"))[-1]
    assert isinstance(answer, Answer)
    assert answer.answer == "It is 42."


def test_a_connection_that_is_lost_between_two_questions_is_made_again(gate: Tidegate) -> None:
    with gate.chat() as chat:
        list(chat.ask("How much is it?"))
        for tokens in (480, 720):
            assert chat._line is not None
            chat._line.socket.shutdown(2)
            answer = list(chat.ask("And now?"))[-1]
            assert isinstance(answer, Answer)
            assert answer.totals.tokens == tokens


def test_a_question_that_somebody_left_comes_to_its_end_before_the_next(gate: Tidegate) -> None:
    with gate.chat() as chat:
        next(chat.ask("How much is it?"))
        answer = list(chat.ask("And now?"))[-1]
        assert isinstance(answer, Answer)
        assert answer.totals.tokens == 480
        for end in ("nothing", "lost", "hung up"):
            for event in chat.ask("Linger on this."):
                if isinstance(event, Step) and event.name == "output":
                    break
            if end == "lost":
                assert chat._line is not None
                chat._line.socket.shutdown(2)
            elif end == "hung up":
                chat.close()
            chat.cancel()
            told = list(chat.ask("And then?"))
            assert isinstance(told[0], Step)
            assert isinstance(told[-1], Answer)
        # Hung up in the middle, and carried on with.
        next(chat.ask("How much is it?"))
        chat.close()
        assert isinstance(list(chat.ask("And last?"))[-1], Answer)


def test_two_users_ask_at_once_and_hear_nothing_of_each_other(gateway: Gateway, token: str) -> None:
    other = str(gateway.token("other", "execute"))

    async def body() -> None:
        async with (
            AsyncTidegate(gateway.url, token=token) as gate,
            AsyncTidegate(gateway.url, token=other) as others,
            gate.chat() as first,
            others.chat() as second,
        ):
            lasting = first.ask("Linger on this.")
            begun = await anext(lasting)
            assert isinstance(begun, Step)
            told = [event async for event in second.ask("How much is it?")]
            assert isinstance(told[-1], Answer)
            assert told[-1].conversation == second.conversation != first.conversation
            assert first.conversation is not None
            with pytest.raises(ChatRefused, match="unknown_conversation"):
                await second.resume(first.conversation)
            await first.cancel()
            rest = [event async for event in lasting]
            assert isinstance(rest[-1], Unanswered)

    asyncio.run(body())


def test_what_is_refused_says_why_and_the_chat_goes_on(gate: Tidegate) -> None:
    with gate.chat() as chat:
        with pytest.raises(ChatRefused, match="invalid_request") as refused:
            list(chat.ask("How much?", model="dearer"))
        assert "`model`" in refused.value.message
        assert isinstance(list(chat.ask("How much?"))[-1], Answer)
        last = list(chat.ask("Refuse this."))[-1]
        assert isinstance(last, Unanswered)
        assert last.code == "model_refused"


def test_who_may_not_come_in_is_told_so(gateway: Gateway) -> None:
    wrong = Tidegate(gateway.url, token="tgt_wrong")
    with pytest.raises(ApiError) as refused, wrong.chat():
        pass
    assert refused.value.status == 401
    assert "tgt_wrong" not in str(refused.value)
    with pytest.raises(ConnectionFailed), Tidegate("http://127.0.0.1:9").chat():
        pass


def test_without_its_package_a_chat_says_which_one(gate: Tidegate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "websockets.exceptions", None)
    with pytest.raises(ImportError, match=r"tidegate\[chat\]"), gate.chat():
        pass
