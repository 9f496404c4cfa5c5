"""Questions to models and messages: what goes to the host, and what its answers become."""

import unittest

from .test_tools import Runtime

SHOW = """
import json
call = {call}
shown = [call._what.host_name, json.loads(call._text)]
call.close()
from _tidegate import calls
calls.forget_all()
shown
"""

FAILED = """
from _tidegate import failures
error = failures.failure({{"kind": {kind!r}, "message": "why"}})
[isinstance(error, ToolError), isinstance(error, TimeoutError), type(error).__name__, error.kind, str(error)]
"""


# Both calls are answered in one message; whoever hears of its answer first gives up the other.
GIVEN_UP = """
import asyncio
async def gives_up():
    await post('done', 1)
    waiting.cancel()
first = asyncio.create_task(gives_up())
async def waits():
    return await {call}
waiting = asyncio.create_task(waits())
await first
try:
    await waiting
except asyncio.CancelledError:
    pass
return waiting.cancelled()
"""


class Minds(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def value(self, source):
        outcome = self.runtime.run(source)
        self.assertIsNone(outcome.get("error"), outcome)
        return outcome["value"]

    def test_a_call_is_what_the_host_reads(self):
        for call, name, sent in (
            ("ask_model('why?')", "$ask_model", {"prompt": "why?"}),
            ("ask_model('why?', schema={'type': 'array'})", "$ask_model", {"prompt": "why?", "schema": {"type": "array"}}),
            ("post('work', {'n': (1, 2)})", "$post", {"box": "work", "message": {"n": [1, 2]}}),
            ("post('work', None)", "$post", {"box": "work", "message": None}),
            ("receive('work')", "$receive", {"box": "work"}),
            ("receive('work', timeout=0.5)", "$receive", {"box": "work", "timeout": 0.5}),
            ("spawn('return 1', agent='worker-1')", "$spawn", {"code": "return 1", "context": {}, "agent": "worker-1"}),
        ):
            self.assertEqual(self.value(SHOW.format(call=call)), [f'"{name}"', sent], call)

    def test_an_answer_is_what_the_model_said_and_nothing_of_what_it_took(self):
        source = """
from _tidegate import minds
used = {"questions": 1, "input_tokens": 3, "output_tokens": 1, "cost": 0.0}
[minds._answer({"answer": {"n": [1]}, "used": used}), minds._answer({"answer": "text", "used": used})]
"""
        self.assertEqual(self.value(source), [{"n": [1]}, "text"])

    def test_a_message_that_does_not_come_is_a_timeout_and_a_tool_error(self):
        self.assertEqual(self.value(FAILED.format(kind="TimedOut")), [True, True, "TimeoutError", "TimedOut", "why"])
        self.assertEqual(self.value(FAILED.format(kind="ModelError")), [True, False, "ToolError", "ModelError", "why"])

    def test_a_message_that_came_too_late_for_the_program_is_given_back(self):
        outcome = self.runtime.run(GIVEN_UP.format(call="receive('work')"))
        self.assertEqual((outcome["value"], outcome["sent"]), (True, [["$post", "$receive"], ["$give_back"]]), outcome)
        # What else is answered too late is nobody's any more.
        outcome = self.runtime.run(GIVEN_UP.format(call="ask_model('why?')"))
        self.assertEqual((outcome["value"], outcome["sent"]), (True, [["$post", "$ask_model"]]), outcome)
        # One that the program got stays with it.
        outcome = self.runtime.run("return await receive('work')")
        self.assertEqual(outcome["sent"], [["$receive"]], outcome)

    def test_a_message_for_a_call_that_was_taken_back_is_given_back(self):
        source = """
from _tidegate import runtime
now = runtime.current
for number in (101, 102):
    now.waiting[number] = now.loop.create_future()
runtime.forget(101, '"$other"')
runtime.forget(102, runtime._RECEIVE)
now._deliver([[101, True, {"v": 1}], [102, True, {"v": 2}]])
now._deliver([[102, True, {"v": 2}]])
now.waiting.clear()
return sorted(now.unread), now.dropped.clear()
"""
        outcome = self.runtime.run(source)
        self.assertEqual(outcome["value"], [[], None], outcome)
        self.assertEqual([one for one in outcome["sent"] if "$give_back" in one], [["$give_back"]], outcome)

    def test_what_cannot_be_sent_says_so(self):
        for call, words in (
            ("ask_model({'a': 1})", "prompt is text, not dict"),
            ("ask_model('why?', schema='array')", "schema is a JSON Schema as a dict"),
            ("post(5, 1)", "box is the name of a mailbox"),
            ("receive(None)", "box is the name of a mailbox"),
            ("receive('work', timeout=-1)", "timeout is a number of seconds from 0 on"),
            ("receive('work', timeout=True)", "timeout is a number of seconds from 0 on"),
            ("receive('work', timeout=float('nan'))", "timeout is a number of seconds from 0 on"),
            ("spawn('return 1', agent=5)", "agent is a name"),
        ):
            outcome = self.runtime.run(call)
            self.assertIn(words, outcome["error"]["message"], call)

    def test_calls_are_found_without_an_import_and_by_one(self):
        source = "from tidegate import ask_model as one, post as two, receive as three\n[one is ask_model, two is post, three is receive]"
        self.assertEqual(self.value(source), [True, True, True])


if __name__ == "__main__":
    unittest.main()
