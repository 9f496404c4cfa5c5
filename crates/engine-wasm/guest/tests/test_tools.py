"""The contract suite's cases about tools, run natively, and what only this side can see."""

import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

from . import GUEST

CASES = GUEST.parent.parent / "engine" / "cases" / "tools"
HOST = GUEST / "tests" / "host.py"
# They need what a guest has and this machine may lack: its folders, its packages, its Python.
ONLY_IN_A_GUEST = (
    "a_file_in_an_answer", "a_function_has_its_signature", "a_picture_can_be_saved", "dates_and_paths", "pandas_takes",
    "servers_can_be_listed", "the_files_of_servers",
)


class Runtime:
    """A runtime with a host of its own; programs run one after another in a session."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-B", HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, source, servers="", restart=False, **settings):
        with tempfile.TemporaryDirectory() as root:
            for name in servers.split():
                (pathlib.Path(root) / name).symlink_to(CASES / "_servers" / name)
            asked = {"source": source, "servers": servers, "root": root, "restart": restart, **settings}
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def parts(text):
    """The programs of a case with their headers."""
    for part in text.split("# --- next\n"):
        lines = part.split("\n")
        header = {}
        while lines and (found := re.match(r"# ([\w-]+): (.*)", lines[0])):
            header[found[1]] = found[2]
            lines.pop(0)
        yield header, "\n".join(lines)


class Names(unittest.TestCase):
    def test_a_server_called_tool_leaves_the_decorator_where_it_is(self):
        from _tidegate import servers

        package = servers._made()
        decorator = package.tool
        package.tool = servers.ServerModule("servers.tool")
        self.assertIs(package.tool, decorator)
        package.github = github = servers.ServerModule("servers.github")
        self.assertIs(package.github, github)

    def test_a_resource_is_named_in_any_order(self):
        from unittest import mock

        from _tidegate import binding

        with mock.patch.object(binding, "_ask", lambda function, name, asked, frame: (asked["server"], asked["uri"])):
            read = binding.read_resource
            self.assertEqual(read("a://b", server="mock"), ("mock", "a://b"))
            self.assertEqual(read("mock", "a://b"), ("mock", "a://b"))
            self.assertEqual(read("mock", uri="a://b"), ("mock", "a://b"))
            self.assertEqual(read("a://b"), (None, "a://b"))
            with self.assertRaises(TypeError):
                read("mock", "a://b", server="mock")


class Arguments(unittest.TestCase):
    """What JSON does not have is said before anything leaves, and at once."""

    def refused(self, value):
        from _tidegate import binding, failures

        with self.assertRaises(failures.ArgumentError) as raised:
            binding._arguments({"fine": 1, "odd": value})
        return str(raised.exception)

    def test_a_value_that_holds_itself(self):
        rows = []
        rows.append(rows)
        self.assertIn("'odd' holds itself", self.refused(rows))
        first, second = {}, {}
        first["next"], second["next"] = [second], (first,)
        self.assertIn("'odd' holds itself", self.refused(first))

    def test_a_value_that_there_is_no_memory_for(self):
        from unittest import mock

        from _tidegate import binding, failures, values

        written = values._text

        def small(value, *others):
            if len(str(value)) > 100:
                raise MemoryError
            return written(value, *others)

        with mock.patch.object(values, "_text", small):
            for value in ("x" * 100, ["x"] * 100):
                said = self.refused(value)
                self.assertIn("'odd' is larger than the memory", said)
                self.assertNotIn("JSON does not have", said)
            with self.assertRaisesRegex(failures.ArgumentError, "the arguments together are larger"):
                binding._arguments({"one": "x" * 60, "other": "x" * 60})
            own = {"$type": "x", "problem": "MemoryError"}
            self.assertIn("MemoryError", binding._arguments(own))

    def test_a_value_that_is_too_deep(self):
        from _tidegate import binding

        def nested(depth):
            value = "end"
            for level in range(depth):
                value = {"in": value} if level % 2 else [value]
            return value

        for depth in (binding._DEEPEST + 1, binding._DEEPEST + 2, 5_000):
            self.assertIn(f"nested too deeply: lists and dicts may be {binding._DEEPEST} deep", self.refused(nested(depth)))
        deepest = binding._arguments({"fine": nested(binding._DEEPEST)})
        self.assertNotIn("$type", deepest)

    def test_a_value_that_is_shared_is_no_cycle(self):
        from _tidegate import binding

        shared = [{"$type": "mine"}]
        for _ in range(40):
            shared = [shared[0], shared[0]]
        self.assertIn('"$type"', binding._arguments({"rows": shared}))
        self.assertIn("'odd' holds something that JSON does not have", self.refused([b"x", [shared[:0]] * 2]))


class Lists(unittest.TestCase):
    def test_a_list_of_all_servers_says_who_is_missing(self):
        from _tidegate import binding

        answer = {"listed": [{"uri": "a://b"}], "missing": [{"server": "dead", "reason": "no key"}]}
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            listed = binding._resources_listed(answer)
        self.assertEqual(listed, [{"uri": "a://b"}])
        self.assertEqual(listed.missing, ({"server": "dead", "reason": "no key"},))
        self.assertEqual(told.getvalue(), "list_resources(): those of dead are missing: no key\n")
        whole = [{"uri": "a://b"}]
        self.assertIs(binding._prompts_listed(whole), whole)


class Cases(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def test_every_case_ends_as_it_says(self):
        cases = sorted(path for path in CASES.glob("*.py") if not path.name.startswith(ONLY_IN_A_GUEST))
        self.assertGreater(len(cases), 40)
        for path in cases:
            for number, (header, source) in enumerate(parts(path.read_text())):
                with self.subTest(path.name):
                    self.judge(header, self.runtime.run(source, header.get("servers", ""), number == 0))

    def judge(self, header, ended):
        kind, _, rest = header["expect"].partition(" ")
        error = ended.get("error", {})
        if kind == "value":
            self.assertEqual(ended.get("value"), json.loads(rest), ended)
        else:
            name, _, words = rest.partition(": ")
            self.assertEqual(error.get("type"), name, ended)
            self.assertIn(words, error["message"])
        if "hint" in header:
            self.assertIn(header["hint"], error.get("hint", ""))
        if "line" in header:
            self.assertEqual(error.get("line"), int(header["line"]))
        for stream in ("stdout", "stderr"):
            if stream in header:
                self.assertEqual(ended[stream], json.loads(header[stream]))


class Messages(unittest.TestCase):
    """What reaches the host, and in how many messages."""

    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def sent(self, source):
        ended = self.runtime.run(textwrap.dedent(source), "demo", True)
        return ended.get("error", {}).get("type"), ended["sent"]

    def test_ten_calls_in_a_gather_go_out_in_one_message(self):
        source = """
            import asyncio
            from servers.demo import echo, slow
            await asyncio.gather(*[slow(str(n)) for n in range(10)])
            await asyncio.gather(*[echo(str(n)) for n in range(10)])
            await echo("one")
        """
        self.assertEqual(self.sent(source), (None, [["slow"] * 10, ["echo"] * 10, ["echo"]]))

    def test_calls_in_a_value_go_out_in_one_message(self):
        self.assertEqual(self.sent("from servers.demo import slow\n[slow('a'), {'b': slow('b')}]"), (None, [["slow", "slow"]]))

    def test_nothing_is_sent_when_an_await_is_missing(self):
        source = """
            from servers.demo import slow
            def plain():
                return slow("x")["text"]
            plain()
        """
        self.assertEqual(self.sent(source), ("MissingAwait", []))

    def test_calls_in_plain_functions_leave_in_the_programs_order(self):
        source = """
            from servers.demo import anything, echo, get_devices, search
            def write():
                echo("first")
                unused = search({"field": "second"})
                return get_devices()["count"]
            write()
            await anything(last=1)
        """
        self.assertEqual(self.sent(source), (None, [["echo"], ["search"], ["get_devices"], ["anything"]]))

    def test_a_forgotten_call_is_sent_before_the_next_one(self):
        for after in ("await anything(x=1)", "plain()", "anything(x=1)"):
            source = f"""
                from servers.demo import anything, echo, search
                write = lambda: echo("first")
                def again():
                    return search({{"field": "second"}})
                def plain():
                    return anything(x=1)["x"]
                write()
                again()
                {after}
            """
            self.assertEqual(self.sent(source), (None, [["echo"], ["search"], ["anything"]]), after)

    def test_calls_in_a_gather_wait_for_one_that_was_forgotten(self):
        source = """
            import asyncio
            from servers.demo import echo, slow
            write = lambda: slow("first")
            write()
            await asyncio.gather(echo("a"), echo("b"))
        """
        self.assertEqual(self.sent(source), (None, [["slow"], ["echo", "echo"]]))

    def test_a_forgotten_call_that_cannot_be_waited_for_is_named_before_the_next(self):
        source = """
            from servers.demo import echo, slow
            write = lambda: slow("first")
            def plain():
                return echo("next")["text"]
            write()
            plain()
        """
        self.assertEqual(self.sent(source), ("MissingAwait", []))

    def test_nothing_is_sent_when_an_argument_is_wrong(self):
        source = "from servers.demo import create_issue\nawait create_issue(owner='a', repo='b', titel='c')"
        self.assertEqual(self.sent(source), ("ArgumentError", []))

    def test_a_call_cancelled_before_it_was_told_is_never_sent(self):
        source = """
            import asyncio
            from servers.demo import echo, slow
            waiting = asyncio.create_task(slow("x"))
            await asyncio.sleep(0)
            waiting.cancel()
            await echo("y")
        """
        self.assertEqual(self.sent(source), (None, [["echo"]]))

    def test_a_result_that_is_used_twice_is_asked_for_once(self):
        source = """
            from servers.demo import get_devices
            def plain():
                devices = get_devices()
                return devices["count"] + len(devices)
            plain()
        """
        self.assertEqual(self.sent(source), (None, [["get_devices"]]))


class Waits(unittest.TestCase):
    """How long a program says that it waits."""

    def test_a_wait_without_end_is_a_number_that_json_has(self):
        runtime = Runtime()
        self.addCleanup(runtime.close)
        source = """
            import asyncio
            from servers.demo import slow
            never = asyncio.create_task(asyncio.sleep(float("inf")))
            answer = await asyncio.wait_for(slow("x"), float("inf"))
            never.cancel()
            answer
        """
        done = runtime.run(textwrap.dedent(source), "demo")
        self.assertIsNone(done.get("error"), done)


class Words(unittest.TestCase):
    """What a missing `await` says about each kind of place."""

    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def message(self, source):
        source = "from servers.demo import slow\n" + textwrap.dedent(source).strip("\n")
        return self.runtime.run(source, "demo", True)["error"]["message"].split("\n")

    def test_in_a_plain_function(self):
        said = self.message("""
            import functools
            @functools.cache
            def plain(a, b=1):
                return slow("é", ms=1)["text"]
            plain(1)
        """)
        self.assertEqual(said, [
            "slow() was not awaited, so nothing was sent. Line 5 is:",
            'return slow("é", ms=1)["text"]',
            "write:",
            'return (await slow("é", ms=1))["text"]',
            "and make plain() async, in line 4:",
            "async def plain(a, b=1):",
            "and write `await plain(...)` wherever it is called",
        ])

    def test_in_a_lambda(self):
        said = self.message("sorted([1, 2], key=lambda n: slow(str(n))['text'])")
        self.assertEqual(said[-1], "in an async function or a list comprehension, because a lambda cannot await")

    def test_over_several_lines(self):
        said = self.message("""
            def plain():
                answer = slow(
                    "x",
                )
                return answer["text"]
            plain()
        """)
        self.assertEqual(said[1:4], ["answer = slow(", "write:", "answer = await slow("])

    def test_where_a_call_is_kept(self):
        said = self.message("""
            import asyncio
            calls = [slow("a"), slow("b")]
            def first():
                return calls[0]["text"]
            first()
            await asyncio.gather(*calls)
        """)
        self.assertEqual(said[:4], [
            "slow() was not awaited, so nothing was sent. Line 3 is:",
            'calls = [slow("a"), slow("b")]',
            "write:",
            'calls = [await slow("a"), slow("b")]',
        ])


class Analyses(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def test_an_analysis_leaves_nothing_behind_and_takes_nothing_away(self):
        names = "return sorted(name for name in globals() if not name.startswith('__'))"
        self.runtime.run("request, analyze = 'mine', 1", restart=True)
        before = self.runtime.run(names)["value"]
        for source in (
            "from tidegate import analyze\nreturn await analyze(request)",
            "import decimal\nfrom tidegate import analyze\nreturn await analyze(request)",
        ):
            # One that is refused is the cheapest there is.
            ended = self.runtime.run(source, context={"request": {"analysis_type": "guess", "data": []}})
            self.assertEqual(ended["error"]["type"], "AnalysisError", ended)
            self.assertEqual(self.runtime.run(names)["value"], before)
        self.assertEqual(self.runtime.run("return [request, analyze]")["value"], ["mine", 1])
        # Who writes the same with a variable of their own means that.
        own = self.runtime.run("from tidegate import analyze\nreturn await analyze(request)")
        self.assertIn("mine", own["error"]["message"], own)


class Searches(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def test_a_search_says_which_servers_are_missing_and_why(self):
        source = "found = search_tools('what a dead server has')\nsearch_tools('what a dead server has')\n"
        ended = self.runtime.run(source + "return [len(found), repr(found), found.missing[0]['server']]", restart=True)
        self.assertEqual((ended["value"][0], ended["value"][2]), (0, "files"), ended)
        for said in (ended["value"][1], ended["stderr"]):
            self.assertIn("files does not answer since 2026-11-18T07:00:00.000Z", said)
            self.assertIn("no such program", said)
        # Once in a program, and again in the next one.
        self.assertEqual(ended["stderr"].count("\n"), 1, ended)
        self.assertIn("no such program", self.runtime.run(source)["stderr"])
