"""What is said about an exception."""

import asyncio
import errno
import os
import sys
import tempfile
import types
import unittest
import unittest.mock

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import errors, hints, program
from _tidegate.failures import PolicyError, ToolError

OWN = str(GUEST)


def described(source, names=None, **more):
    """Runs a program that fails, and returns what is said about it."""
    names = {"__name__": "__main__"} if names is None else names
    sources = {"<program 1>": (source, 0)}
    try:
        prepared = program.prepare(source, "<program 1>")
        if prepared.is_coroutine:
            asyncio.run(prepared.run(names))
        else:
            prepared.run(names)
    except BaseException as error:
        made = errors.describe(error, sources, OWN)
        shown = made.get("traceback", "")
        assert OWN not in shown, shown
        assert len(shown) <= 8000
        return made
    raise AssertionError("the program did not fail")


def hint_of(source, names=None):
    return described(source, names).get("hint")


class Unseen(unittest.TestCase):
    """What is said about a path that a program looked for, and found nothing."""

    def test_a_path_below_the_programs_own_folder_is_not_told(self):
        with tempfile.TemporaryDirectory() as home, unittest.mock.patch.dict(os.environ, {"HOME": home}):
            open(os.path.join(home, "a.csv"), "w").close()
            for source in (
                "import os\nos.path.exists(os.path.expanduser('~/a.csv'))",
                "from pathlib import Path\nPath('~/a.csv').expanduser().exists()",
                "from pathlib import Path\n(Path('/mnt/data') / '/usr').exists()",
                "import os\npath = os.path.expanduser('~/b.csv')\nos.path.exists(path)\nos.remove(path)",
            ):
                self.assertIsNone(hints.unseen(source), source)

    def test_a_path_that_is_looked_for_is_told(self):
        for source in (
            "import os\nos.path.exists('/home/nobody-here/a.csv')",
            "from os.path import isfile as there\nthere('/home/nobody-here/a.csv')",
            "import glob\nfound = glob.glob('/home/nobody-here/*.csv')",
            "from pathlib import Path\nbase = Path('~/nobody-here')\nif base.expanduser().is_dir():\n    await x()",
            "from pathlib import Path\nlist((Path('/home/nobody-here') / 'reports').rglob('*.csv'))\nreturn 1",
            "import os\ndef look():\n    return list(os.walk('/home/nobody-here'))\nlook()",
        ):
            told = hints.unseen(source)
            self.assertIn("nobody-here", told or "", source)
            self.assertIn("is not in the sandbox", told, source)

    def test_a_path_that_goes_elsewhere_is_not(self):
        for source in (
            # To a tool, beside looking for something of the program's own.
            "import os\nawait read_file(path='/home/nobody-here/a.csv')\nos.path.exists('a.csv')",
            "from servers.files import exists\nawait exists('/home/nobody-here/a.csv')",
            "import os\n# os.path.exists('/home/nobody-here/a.csv')\nos.path.exists('a.csv')",
            "import os\ntext = \"os.path.exists('/home/nobody-here/a.csv')\"\nos.path.exists('a.csv')",
            # Nobody calls it.
            "import os\ndef look():\n    return os.path.exists('/home/nobody-here/a.csv')\n1",
            # Which of the two is not certain.
            "import os\npath = '/home/nobody-here/a.csv'\npath = 'a.csv'\nos.path.exists(path)",
            "import os\ndef look(path):\n    return os.path.exists(path)\nlook('a.csv')\nawait read('/home/nobody-here/a.csv')",
            "import re\nrows.exists('x')\ntext = '/home/nobody-here/a.csv'",
            # It is there.
            f"import os\nos.path.exists({sys.executable!r})\n'/home/nobody-here/a.csv'",
            "import os\nos.path.exists('/home/nobody-here/a.csv'",
        ):
            self.assertIsNone(hints.unseen(source), source)

    def test_a_place_that_is_there_is_not(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            self.assertIsNone(hints.unseen(f"import glob\nglob.glob({folder + '/*.csv'!r})"))
            self.assertIsNone(hints.unseen(f"import os\nos.path.isdir({folder!r})"))


class Where(unittest.TestCase):
    def test_the_line_and_column_of_the_program(self):
        made = described("def f(x):\n    return 1 + x / 0\n\nf(3)")
        self.assertEqual((made["type"], made["message"]), ("ZeroDivisionError", "division by zero"))
        self.assertEqual((made["line"], made["column"]), (2, 16))
        self.assertEqual(made["source_line"], "    return 1 + x / 0")
        self.assertEqual(
            made["traceback"],
            "Traceback (most recent call last):\n"
            '  File "<program 1>", line 4, in <module>\n    f(3)\n'
            '  File "<program 1>", line 2, in f\n    return 1 + x / 0\n'
            "ZeroDivisionError: division by zero\n",
        )

    def test_columns_count_characters(self):
        self.assertEqual(described("x = 'éé€'; 1/0")["column"], 12)

    def test_inside_libraries_the_programs_own_line_counts(self):
        made = described("import json\njson.loads('{')")
        self.assertEqual((made["type"], made["line"]), ("JSONDecodeError", 2))
        self.assertIn("json.decoder.JSONDecodeError: ", made["traceback"])
        self.assertIn("decoder.py", made["traceback"])

    def test_the_depths_of_a_library_are_left_out(self):
        made = described("import pandas\npandas.DataFrame({'a': [1]}).groupby('b').sum()")
        self.assertLess(made["traceback"].count("File "), 5, made["traceback"])
        made = described("import re\nre.compile('(' * 3)")
        self.assertIn("frames of the library left out", made["traceback"])

    def test_in_fences_the_line_is_that_of_the_text(self):
        made = described("Run this one:\n```python\nx = 1\nx.foo\n```")
        self.assertEqual((made["line"], made["source_line"]), (4, "x.foo"))

    def test_syntax_errors(self):
        made = described("x = 1\n  y = = 2")
        self.assertEqual((made["type"], made["line"]), ("IndentationError", 2))
        made = described("x = 1\ny = = 2")
        self.assertEqual((made["message"], made["line"], made["column"], made["source_line"]), ("invalid syntax", 2, 5, "y = = 2"))
        self.assertEqual(made["traceback"], '  File "<program 1>", line 2\n    y = = 2\n        ^\nSyntaxError: invalid syntax\n')
        made = described("x = 1\nif x:\n    break")
        self.assertEqual((made["line"], made["source_line"]), (3, "    break"))

    def test_a_syntax_error_in_text_the_program_compiled(self):
        made = described("x = 1\ncompile('a b', '<other>', 'exec')")
        self.assertEqual((made["type"], made["line"]), ("SyntaxError", 2))

    def test_asyncio_is_not_shown_around_the_program(self):
        made = described("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1/0\nawait asyncio.gather(f())")
        self.assertEqual(made["line"], 4)
        self.assertNotIn("asyncio/", made["traceback"])

    def test_a_line_offset_is_respected(self):
        code = compile("\n\n1/0", "<program 2>", "exec")
        try:
            eval(code)
        except ZeroDivisionError as error:
            made = errors.describe(error, {"<program 2>": ("1/0", 2)}, OWN)
        self.assertEqual((made["line"], made["source_line"]), (3, "1/0"))

    def test_functions_of_earlier_programs(self):
        names = {}
        eval(compile("def f():\n    return 1/0", "<program 0>", "exec"), names)
        self.assertIn('File "<program 0>", line 2, in f', described("f()", names)["traceback"])

    def test_an_analysis_that_failed_shows_no_program(self):
        def failed():
            made = ToolError("the station is closed", "ToolError", "house", "read")
            made.sent = '{"id":7}'
            return made

        async def analyze(request, as_table=False):
            raise request()

        library = types.ModuleType("tidegate")
        library.analyze = analyze
        ours = "from tidegate import analyze\nreturn await analyze(request)"
        with unittest.mock.patch.dict(sys.modules, tidegate=library):
            for source in (ours, "import json\n" + ours, ours.replace("request)", "request, True)")):
                made = described(source, {"request": failed})
                self.assertEqual(list(made), ["type", "message", "hint"], made)
                self.assertIn('It was sent {"id":7}', made["hint"])
                made = described(source, {"request": ZeroDivisionError})
                self.assertEqual(list(made), ["type", "message"], made)
            made = described("x = 1\n" + ours, {"request": failed})
            self.assertEqual((made["line"], "analyze(request)" in made["traceback"]), (3, True))

    def test_an_exception_without_frames(self):
        made = errors.describe(ValueError("x"), {}, OWN)
        self.assertEqual(made, {"type": "ValueError", "message": "x", "traceback": "ValueError: x\n"})


class Bounds(unittest.TestCase):
    def test_recursion_is_collapsed(self):
        made = described("def f():\n    f()\nf()")
        self.assertIn("more times]", made["traceback"])
        self.assertLess(len(made["traceback"]), 600)
        self.assertIn("loop", made["hint"])

    def test_mutual_recursion_is_cut(self):
        made = described("def f():\n    g()\ndef g():\n    f()\nf()")
        self.assertIn("frames left out]", made["traceback"])
        self.assertLess(made["traceback"].count("File "), 25)

    def test_huge_messages_and_lines_are_cut(self):
        made = described("raise ValueError('x' * 10**6)")
        self.assertLessEqual(len(made["message"]), 250_000)
        self.assertTrue(made["message"].endswith("[1000000 characters]"))
        made = described("x = '" + "y" * 5000 + "'; 1/0")
        self.assertEqual(len(made["source_line"]), 500)

    def test_long_chains_are_cut(self):
        made = described("e = None\nfor i in range(3000):\n    n = ValueError(str(i)); n.__cause__ = e; e = n\nraise e")
        self.assertEqual(made["message"], "2999")
        self.assertEqual(made["traceback"].count("ValueError"), 5)

    def test_a_chain_that_bites_its_tail(self):
        made = described("a = ValueError('a'); b = ValueError('b')\na.__cause__ = b; b.__cause__ = a\nraise a")
        self.assertEqual(made["message"], "a")

    def test_wide_and_deep_groups_are_cut(self):
        made = described("e = ValueError('v')\nfor i in range(50):\n    e = ExceptionGroup('g', [e] * 30)\nraise e")
        self.assertIn("and 25 more", made["traceback"])


class Content(unittest.TestCase):
    def test_causes_are_shown_oldest_first(self):
        text = described("try:\n    1/0\nexcept Exception as e:\n    raise ValueError('b') from e")["traceback"]
        self.assertLess(text.index("ZeroDivisionError"), text.index("direct cause"))
        self.assertLess(text.index("direct cause"), text.index("ValueError: b"))
        text = described("try:\n    1/0\nexcept Exception:\n    {}['x']")["traceback"]
        self.assertIn("During handling", text)
        text = described("try:\n    1/0\nexcept Exception:\n    raise ValueError from None")["traceback"]
        self.assertNotIn("ZeroDivision", text)

    def test_groups_show_their_members(self):
        made = described("import asyncio\nasync def f(): {}['x']\nasync with asyncio.TaskGroup() as g:\n    g.create_task(f())")
        self.assertEqual(made["type"], "ExceptionGroup")
        self.assertEqual((made["line"], made["source_line"]), (2, "async def f(): {}['x']"))
        self.assertIn("KeyError: 'x' (line 2)", made["message"])
        self.assertIn("--- 1 of 1 ---", made["traceback"])
        self.assertIn("KeyError: 'x'", made["traceback"])
        self.assertIn("line", made)

    def test_notes_are_shown(self):
        self.assertIn("look here", described("e = ValueError('x')\ne.add_note('look here')\nraise e")["traceback"])

    def test_hostile_exceptions(self):
        for body in (
            "def __str__(self): raise SystemExit",
            "def __str__(self): return 5",
            "__class__ = property(lambda self: int)",
            "__traceback__ = 5; __cause__ = 7; __context__ = 8; __suppress_context__ = 'x'",
            "__notes__ = 5",
            "def __getattribute__(self, name): raise RuntimeError(name)",
            "tidegate_hint = 5",
            "name = property(lambda self: 1/0)",
        ):
            for base in ("Exception", "BaseException", "SyntaxError", "OSError", "KeyError", "NameError", "AttributeError", "ImportError"):
                made = described(f"class Odd({base}):\n    {body}\nraise Odd('a')")
                self.assertEqual(made["type"], "Odd", body)
        meta = "class M(type):\n    def __getattribute__(cls, name): raise RuntimeError\nclass Odd(Exception, metaclass=M): pass\nraise Odd()"
        self.assertIn("type", described(meta))
        made = described("e = SyntaxError('m', ('<program 1>', 'x', [], 5))\nraise e")
        self.assertEqual(made["type"], "SyntaxError")

    def test_all_values_are_json(self):
        import json

        json.dumps(described("raise ValueError('\\ud800')"))


class Hints(unittest.TestCase):
    def test_names(self):
        self.assertEqual(hint_of("length = 1\nlenght + 1"), "Did you mean 'length'?")
        self.assertEqual(hint_of("def f():\n    value = 1\n    return valu\nf()"), "Did you mean 'value'?")
        self.assertEqual(hint_of("pritn(1)"), "Did you mean 'print'?")
        self.assertEqual(hint_of("json.dumps(1)"), "Add `import json`.")
        self.assertEqual(hint_of("np.zeros(1)"), "Add `import numpy as np`.")
        self.assertIsNone(hint_of("qqqqqq"))

    def test_attributes(self):
        self.assertEqual(hint_of("[].apend(1)"), "Did you mean 'append'?")
        self.assertEqual(hint_of("import math\nmath.squrt(2)"), "Did you mean 'sqrt'?")
        self.assertEqual(hint_of("d = {'name': 1}\nd.name"), "It is a dict: write ['name'] instead of .name.")
        self.assertIn("None", hint_of("x = None\nx.strip()"))

    def test_imports(self):
        self.assertEqual(hint_of("import requests_missing_xyz"), f"'requests_missing_xyz' is not installed, and nothing can be. Available: {hints.AVAILABLE}.")
        self.assertTrue(hint_of("import jsn").startswith("Did you mean 'json'?"))
        self.assertEqual(hint_of("from math import squrt"), "Did you mean 'sqrt'?")
        sys.modules["httpx"] = None
        try:
            self.assertEqual(hint_of("import httpx"), hints.NO_NETWORK)
        finally:
            del sys.modules["httpx"]

    def test_the_allow_lists_own_hint_wins(self):
        self.assertEqual(hint_of("e = ModuleNotFoundError('no', name='os')\ne.tidegate_hint = 'Try this.'\nraise e"), "Try this.")

    def test_awaiting(self):
        start = "import warnings; warnings.simplefilter('ignore')\nasync def f(): return {}\n"
        for use in ("f()['a']", "f().keys()", "for x in f(): pass", "f() + 1", "len(f())"):
            self.assertIn("await", hint_of(start + use) or "", use)
        self.assertIn("Remove", hint_of("await 5"))
        self.assertIn("It has: 'a'", hint_of("rows = [{'a': 1}]\nx = [row['b'] for row in rows]"))
        self.assertIn("gather", hint_of("import asyncio\nasync def a(): pass\nx = asyncio.gather(a())\nx[0]\nawait a()"))
        self.assertIn("It has: 'price'", hint_of("o = {'price': 1}\n1 - o.get('discount')"))
        self.assertIn("b is None", hint_of("a, b = 1, None\na * b"))
        self.assertIn("lambda", hint_of("f = lambda x: await x\nf(1)"))
        self.assertIn("async def", hint_of("def f(x):\n    return await x\nf(1)"))
        self.assertIn("context", hint_of("def input(prompt): raise EOFError\nname = input('who?')"))
        self.assertIn("await main()", hint_of("import asyncio\nasync def a(): pass\ndef main(): asyncio.run(a())\nawait asyncio.sleep(0)\nmain()"))

    def test_keys(self):
        self.assertEqual(hint_of("d = {'name': 1, 'age': 2}\nd['nmae']"), "Did you mean 'name'? It has: 'name', 'age'.")
        rows = "d = {'points': [{'time': 't', 'value': 1}], 'unit': 'W'}\n"
        has = "It has: 'points' (list of 1 dicts with 'time', 'value'), 'unit'."
        self.assertEqual(hint_of(rows + "d['data']"), has)
        self.assertEqual(
            hint_of(rows + "[p['value'] for p in d]"), "d is a dict, and looping over a dict gives its keys. " + has
        )
        self.assertEqual(hint_of("d = {'a': [{'b': 1}]}\nx = 1 + d['a'][0]['c']"), "It has: 'b'.")
        self.assertEqual(hint_of("d = {'a': 1}\nd.pop('b')"), "It has: 'a'.")
        self.assertTrue(hint_of("d = dict.fromkeys(range(50))\nd[99]").endswith("9, ...."))
        self.assertIsNone(hint_of("{}['a']"))

    def test_columns(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("needs pandas")
        self.assertEqual(hint_of("import pandas as pd\ndf = pd.DataFrame({'price': [1]})\ndf['prise'].sum()"), "Did you mean 'price'? It has: 'price'.")
        frame = "import pandas as pd\ndf = pd.DataFrame({'room': ['a'], 'n': [1]})\n"
        self.assertEqual(hint_of(frame + "df.groupby('place').n.sum()"), "It has: 'room', 'n'.")
        other = "other = pd.DataFrame({'name': ['a'], 'who': [1]})\n"
        self.assertEqual(
            hint_of(frame + other + "df.merge(other, on='room')"), "other has no 'room'. It has: 'name', 'who'."
        )

    def test_a_column_that_was_meant_as_an_attribute(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("needs pandas")
        frame = "import pandas as pd\ndf = pd.DataFrame({'room': ['a'], 'value': [1]})\n"
        has = "It has the columns 'room', 'value'."
        for line in ("df.total.sum()", "df.groupby('room').total.sum()", "df.query('total > 5')", "df[df.value > 0].eval('total + 1')"):
            self.assertEqual(hint_of(frame + line), has, line)
        self.assertEqual(hint_of(frame + "df.valeu"), "Did you mean 'value'? " + has)
        self.assertIn("Did you mean 'groupby'?", hint_of(frame + "df.group_by('room')"))

    def test_lists_and_texts(self):
        self.assertEqual(hint_of("a = [1, 2]\na[2]"), "It has 2 items.")
        self.assertEqual(hint_of("a = []\na[0]"), "It is an empty list.")
        text = "It is a text: '[{\"s\": 6}]'. If it is JSON, json.loads(...) makes a value of it."
        self.assertEqual(hint_of("r = '[{\"s\": 6}]'\nr['s']"), text)

    def test_a_refused_id_comes_with_what_the_call_before_gave(self):
        from _tidegate import returned

        def job_state(job):
            made = ToolError(f"no such job: {job}", "ToolError", "shop", "job_state")
            made.sent = '{"job":"x"}'
            raise made

        returned._seen.clear()
        self.addCleanup(returned._seen.clear)
        returned.note("start_job", {"job_id": "j1"})
        returned.note("job_state", {"state": "done"})
        names = {"start_job": len, "job_state": job_state}
        hint = described("start_job('x')\njob_state(job='x')", names)["hint"]
        self.assertIn("Before that, start_job() gave {'job_id': str}, the text beginning 'j1'.", hint)
        self.assertNotIn("job_state() gave", hint)

    def test_what_tools_returned(self):
        from _tidegate import returned

        returned._seen.clear()
        returned.note("history", {"unit": "W", "points": [{"time": "t", "value": 1}]})
        returned.note("history", {"not": "looked at"})
        returned.note("read", "[1]")
        gave = "history() gave {'unit': str, 'points': a list of dicts with 'time', 'value'}"
        self.assertEqual(returned.words("x history y"), gave)
        self.assertIn("the text '[1]'", returned.words("read"))
        self.assertIn(gave, hint_of("def history(): return {'unit': 1}\nhistory()['time']"))
        returned._seen.clear()
        row = {"id": 1, "sensor": {"name": "s1"}, "tags": ["a"], "parts": [{"n": 1}], "none": {}}
        returned.note("rows", [row])
        fields = "'id', 'sensor' (a dict with 'name'), 'tags' (a list), 'parts' (a list of dicts with 'n'), 'none' (a dict)"
        self.assertEqual(returned.words("rows"), f"rows() gave a list of dicts with {fields}")
        returned.note("data", {"data": [row]})
        self.assertIn(fields, returned.words("data"))
        self.assertIsNone(returned.words("nothing"))
        returned._seen.clear()

    def test_what_the_sandbox_does_not_have(self):
        self.assertEqual(hint_of("raise ConnectionRefusedError('x')"), hints.NO_NETWORK)
        self.assertEqual(hint_of("import urllib.error\nraise urllib.error.URLError('x')"), hints.NO_NETWORK)
        self.assertEqual(hint_of("import subprocess\nsubprocess.run(['/nonexistent/program'])"), hints.NO_PROCESSES)
        self.assertEqual(hint_of("raise RuntimeError(\"can't start new thread\")"), hints.NO_THREADS)
        self.assertEqual(hint_of("import os\nraise AttributeError('x', name='fork', obj=os)"), hints.NO_PROCESSES)

    def test_files_and_quotas(self):
        self.assertIn("/workspace", hint_of("open('/nonexistent/file')"))
        self.assertIsNone(hint_of("open('not-there.csv')"))
        self.assertIsNone(hint_of("raise FileNotFoundError(2, 'no', '/workspace/a')"))
        for number in (errno.ENOSPC, errno.EFBIG, errno.EMFILE, errno.EROFS):
            self.assertTrue(hint_of(f"raise OSError({number}, 'x')"))
        self.assertIn("chunks", hint_of("raise MemoryError"))

    def test_files_of_servers_by_a_relative_path(self):
        for line, said in (
            ("open('servers/github/index.ts')", "write '/servers/github/index.ts', or read_file('servers/github/index.ts')"),
            ("import os; os.listdir('./servers')", "write '/servers', or list_directory('servers')"),
        ):
            self.assertIn(said, hint_of(line))

    def test_fences(self):
        self.assertIn("Markdown", hint_of("x = 1\n```python\ny\n```"))

    def test_a_division_by_nothing(self):
        for source in ("1 / len([])", "1 // 0", "5 % 0", "1.5 / 0.0"):
            self.assertIn("if count else 0", hint_of(source), source)

    def test_and_between_columns(self):
        self.assertIn("Write & for `and`", hint_of("import pandas\nx = pandas.Series([1, 2])\nx > 1 and x < 2"))
        self.assertIn("Write & for `and`", hint_of("import numpy\nx = numpy.array([1, 2])\nnot x"))

    def test_nothing_to_say(self):
        for source in ("raise ZeroDivisionError", "raise ValueError('x')", "x = = 1", "int('a')"):
            self.assertIsNone(hint_of(source), source)


if __name__ == "__main__":
    unittest.main()


class OfTools(unittest.TestCase):
    """What is said where a tool would have helped, with a search that finds two of them."""

    TOOLS = [
        {"server": "shop", "name": "list_orders", "signature": "async def list_orders(*, page: int | None = None) -> Any"},
        {"server": "shop", "name": "get_customer", "signature": "async def get_customer(customer_id: int) -> Customer"},
    ]

    def setUp(self):
        from _tidegate import discovery, servers

        search = lambda query="", detail="full", server=None, limit=10: [  # noqa: E731
            one for one in self.TOOLS if any(word in one["name"] for word in query.split())
        ][:limit]
        kept = discovery._ask, discovery.look, servers.tools_of
        discovery._ask, discovery.look = object(), search
        servers.tools_of = lambda server: [one["name"] for one in self.TOOLS]

        def back():
            discovery._ask, discovery.look, servers.tools_of = kept

        self.addCleanup(back)

    def test_a_missing_file_named_like_what_a_tool_has(self):
        said = hint_of("open('orders.csv')")
        self.assertIn("from servers.shop import list_orders", said)
        self.assertIn("not declared", said)
        self.assertNotIn("servers.shop", hint_of("open('weather.csv')") or "")

    def test_a_tool_that_a_server_names_when_it_refuses(self):
        self.assertEqual(hints._named_in("no customer 9; list_orders lists them", "shop", "get_customer").split("(")[0], "async def list_orders")
        self.assertEqual(hints._named_in("nothing here", "shop", "get_customer"), "")

    def test_tools_are_functions(self):
        said = hints._as_functions("r = await tidegate.call_tool('shop', 'get_customer', {'id': 7})")
        self.assertIn("from servers.shop import get_customer", said)
        self.assertIn("customer_id: int", said)


class OfValues(unittest.TestCase):
    def test_none_on_the_right_of_what_is_added(self):
        self.assertIn("o['amount'] is None here", hint_of("total = 0.5\no = {'amount': None}\ntotal += o['amount']"))

    def test_what_has_no_form_in_json(self):
        class Summary:
            pass

        self.assertIn("list(...)", hints.unreturned(x for x in ()))
        self.assertIn("'Summary'", hints.unreturned(Summary()))
        self.assertIn("hint_of(...)", hints.unreturned(hint_of))


class NextTime(unittest.TestCase):
    """Failures after which the text alone has to be enough to do it right."""

    def test_what_is_parsed_already_is_not_parsed_again(self):
        for value in ({"a": 1}, [1]):
            self.assertIn("leave json.loads(...) out", hint_of("import json\njson.loads(value)", {"value": value}))

    def test_a_secret_that_nobody_gave_is_no_module(self):
        for source in ("secrets['db']", "secrets.get('db')"):
            self.assertIn("$secret", hint_of(source))
        self.assertEqual(hint_of("secrets.token_hex()"), "Add `import secrets`.")

    def test_a_rule_does_not_change_by_trying_again(self):
        self.assertIn("tell the user", hint_of("raise error", {"error": PolicyError("rule 'x' denies a.b")}))

    def test_dates_that_do_not_fit_their_format(self):
        source = "from datetime import datetime\ndatetime.strptime('2026-01-01T00:00:00Z', '%Y-%m-%d')"
        self.assertIn("fromisoformat", hint_of(source))

    def test_none_before_a_bracket(self):
        self.assertIn("is None", hint_of("found = {}.get('a')\nfound['b']"))
