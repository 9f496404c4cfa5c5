"""Skills: what goes to the host when a function is saved, and what an import brings."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from .test_tools import Runtime

SHOW = """
import json, re
from math import sqrt as root
import statistics
LEAST = {"eur": 5}
LETTER = re.compile("x")

class Box:
    def __init__(self, value):
        self.value = value

def helper(value):
    return Box(root(value) + LEAST["eur"]).value

async def high_spenders(minimum=100, *, deep: bool = False) -> list:
    \"\"\"Who spent more.\"\"\"
    return [helper(minimum), statistics.mean([1, 2])]

def pattern():
    return LETTER

def outer():
    hidden = 5
    def inner():
        return hidden
    return inner

"""


class Saving(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def value(self, source):
        outcome = self.runtime.run(source)
        self.assertIsNone(outcome.get("error"), outcome)
        return outcome["value"]

    def sent(self, call):
        return self.value(f"{SHOW}\ncall = {call}\nshown = json.loads(call._text)\ncall.close()\nfrom _tidegate import calls\ncalls.forget_all()\nshown")

    def test_a_function_takes_along_what_it_names(self):
        sent = self.sent("save_skill('high_spenders', high_spenders, examples=[{'minimum': 4}])")
        names = {}
        exec(sent["source"], names)
        self.assertIn("import statistics", sent["source"])
        self.assertIn("from math import sqrt as root", sent["source"])
        self.assertNotIn("LETTER", sent["source"])
        import asyncio

        self.assertEqual(asyncio.run(names["high_spenders"](16)), [9, 1.5])
        self.assertEqual(sent["description"], "Who spent more.")
        self.assertEqual(sent["examples"], [{"arguments": {"minimum": 4}}])
        self.assertEqual(sent["scope"], "own")

    def test_an_inner_parameter_hides_no_name_outside_it(self):
        source = """
import re
RATE = 3
LETTER = re.compile("x")

def charge(amounts):
    def same(RATE):
        return RATE
    def letter(LETTER):
        return LETTER
    class Row:
        LETTER = "y"
        shown = LETTER
    return [RATE * one for one in amounts] + [same(1), letter(2), Row.shown]

call = save_skill('charge', charge)
shown = json.loads(call._text)["source"]
call.close()
from _tidegate import calls
calls.forget_all()
shown"""
        source = self.value("import json" + source)
        names = {}
        exec(source, names)
        self.assertEqual(names["charge"]([2]), [6, 1, 2, "y"])
        self.assertNotIn("re.compile", source)

    def test_submodules_are_imported_by_their_whole_names(self):
        for imports, body, wanted in (
            (
                "import xml.etree.ElementTree",
                "return xml.etree.ElementTree.fromstring(text).tag",
                "import xml.etree.ElementTree\n",
            ),
            (
                "import xml.dom.minidom\nimport xml as x",
                "return x.dom.minidom.parseString(text).documentElement.tagName",
                "import xml as x\nimport xml.dom.minidom\n",
            ),
            ("import json", "return json.decoder.JSONDecoder().decode(text)", "import json\n"),
            (
                "import json.decoder",
                "def inner():\n        return json.decoder.JSONDecodeError\n    return inner().__name__",
                "import json.decoder\n",
            ),
        ):
            program = f"{imports}\ndef first(text):\n    {body}\n"
            end = "call = save_skill('first', first)\nimport json as j\nshown = j.loads(call._text)['source']\ncall.close()\nfrom _tidegate import calls\ncalls.forget_all()\nshown"
            source = self.value(program + end)
            self.assertEqual(source.partition("\n\n")[0] + "\n", wanted, source)

    def test_each_function_brings_the_submodules_it_reaches(self):
        program = """
import json, xml.etree.ElementTree, xml.dom.minidom

def other(text):
    return xml.dom.minidom.parseString(text).documentElement.tagName

def first(text):
    return [xml.etree.ElementTree.fromstring(text).tag, other(text)]

call = save_skill('first', first)
shown = json.loads(call._text)['source']
call.close()
from _tidegate import calls
calls.forget_all()
shown"""
        source = self.value(program)
        alone = subprocess.run(
            [sys.executable, "-c", source + "\nprint(first('<a><b/></a>'))"], capture_output=True, text=True, check=True
        )
        self.assertEqual(alone.stdout, "['a', 'a']\n")

    def test_another_name_and_source_as_text(self):
        sent = self.sent("save_skill('other', helper, description='d')")
        names = {}
        exec(sent["source"], names)
        self.assertEqual(names["other"](4), 7)
        sent = self.sent("save_skill('f', '```python\\ndef f():\\n    return 1\\n```', examples=[({}, 1)])")
        self.assertEqual(sent["source"], "def f():\n    return 1\n")
        self.assertEqual(sent["examples"], [{"arguments": {}, "expect": 1}])

    def test_what_cannot_be_taken_along_says_so(self):
        for call, words in (
            ("save_skill('pattern', pattern)", "'LETTER', a Pattern that a skill cannot take along"),
            ("save_skill('inner', outer())", "'hidden' of the function around it"),
            ("save_skill('f', lambda: 1)", "a lambda has no name"),
            ("save_skill(5, helper)", "name is text"),
            ("save_skill('f', 5)", "give a function"),
            ("save_skill('f', helper, examples=[5])", "an example is a dict"),
            ("save_skill('f', helper, examples=[{'arguments': {}, 'other': 1}])", "but not 'other'"),
        ):
            outcome = self.runtime.run(f"{SHOW}\n{call}")
            self.assertIn(words, outcome["error"]["message"], call)


class Importing(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("double", "def double(number):\n    return 2 * number\n")
        self.write("double_v1", "def double(number):\n    return number + number\n")
        self.write("later", "from skills import double\nasync def later(number):\n    return double(number)\n")
        self.index = {"double": {"version": 2, "stale": "t.x changed"}, "double_v1": {"version": 1}, "later": {"version": 1}}
        (self.folder / ".index.json").write_text(json.dumps(self.index))
        self.runtime.run(f"from _tidegate import skills\nskills.ROOT = {str(self.folder)!r}")

    def write(self, name, text):
        (self.folder / f"{name}.py").write_text(text)

    def test_a_skill_is_imported_by_name_and_by_number(self):
        source = "from skills import double, double_v1, later\nimport skills\n[double(2), double_v1(3), await later(4), skills.double(5), dir(skills)]"
        outcome = self.runtime.run(source)
        self.assertEqual(outcome["value"], [4, 6, 8, 10, ["double", "later"]], outcome)
        self.assertIn("double may be out of date: t.x changed", outcome["stderr"])

    def test_one_that_is_not_there_says_which_are(self):
        for source in ("from skills import dubble", "import skills.dubble", "import skills\nskills.dubble"):
            outcome = self.runtime.run(source)
            self.assertIn("Did you mean 'double'? The skills: double, later", outcome["error"]["message"], source)

    def test_what_has_no_type_is_said_by_name(self):
        self.write("bare", "def bare(one, two: int, *more):\n    return one\n")
        self.write("typed", "def typed(one: int, **more: str) -> list[int]:\n    return [one]\n")
        self.write("made", "class made:\n    def __init__(self, one: int):\n        self.one = one\n")
        for name, untyped in (("bare", ["one", "more", "return"]), ("typed", []), ("made", [])):
            source = f"from skills import {name} as _skill\n_skill.__tidegate_about__"
            about = self.runtime.run(source)["value"]
            self.assertEqual(about["untyped"], untyped, name)

    def test_another_folder_is_read_anew(self):
        self.assertEqual(self.runtime.run("from skills import double\ndouble(2)")["value"], 4)
        self.write("double", "def double(number):\n    return 0\n")
        self.assertEqual(self.runtime.run("from skills import double\ndouble(2)", skills="other")["value"], 0)


if __name__ == "__main__":
    unittest.main()
