"""Skills: what goes to the host when a function is saved, and what an import brings."""

import json
import pathlib
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

    def test_another_folder_is_read_anew(self):
        self.assertEqual(self.runtime.run("from skills import double\ndouble(2)")["value"], 4)
        self.write("double", "def double(number):\n    return 0\n")
        self.assertEqual(self.runtime.run("from skills import double\ndouble(2)", skills="other")["value"], 0)


if __name__ == "__main__":
    unittest.main()
