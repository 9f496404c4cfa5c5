"""What a program is, and what the value of its run is."""

import ast
import asyncio
import contextlib
import textwrap
import traceback
import unittest
import unittest.mock

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import program

NOTHING = object()


def run(source, names=None):
    """The one place that knows how a program is run: its value, or NOTHING."""
    names = {"__name__": "__main__"} if names is None else names
    prepared = program.prepare(source, "<program>")
    if prepared.is_coroutine:
        asyncio.run(prepared.run(names))
    else:
        prepared.run(names)
    assert not any(name.startswith("__tidegate") for name in names), names
    has_value, value = prepared.value(names)
    return value if has_value else NOTHING


def code(text):
    return textwrap.dedent(text).strip("\n")


class Value(unittest.TestCase):
    def check(self, source, expected):
        self.assertEqual(run(code(source)), expected)

    def test_nothing(self):
        for source in ("", "\n\n", "# only a comment", "import json", "def f(): return 1", "for x in (): pass", "pass"):
            self.assertIs(run(source), NOTHING, source)

    def test_a_trailing_expression(self):
        self.check("1 + 1", 2)
        self.check("x = 5\nx * 2", 10)
        self.check("x = 5; x", 5)
        self.check("x = 5\nx;", 5)
        self.check("x = 5\n(\n  x +\n  1\n)\n\n# end\n", 6)
        self.check("def f():\n    return 7\nf()", 7)
        self.check("f = lambda: (\n1)\nf()", 1)
        self.check("x = [1]\n*x, 2", (1, 2))
        self.check("(y := 4)", 4)
        self.check("False", False)

    def test_a_lone_string_is_its_value(self):
        self.check("'just text'", "just text")
        self.check('"""a\nb\n"""', "a\nb\n")
        self.check('x = """\nx\n"""', "\nx\n")

    def test_lines_that_only_look_like_an_ending(self):
        self.check('x = """\nhello\n"""\nlen(x)', 7)
        self.check("x = [\n1,\n2]\nx", [1, 2])
        self.check("x = 1 + \\\n2\nx", 3)
        self.check("x = 1 + \\\n2", 3)
        self.check("x = '''\nf(1)\n'''", "\nf(1)\n")
        self.check("if False:\n    1\nelse:\n    2", NOTHING)
        with self.assertRaises(SyntaxError):
            run("x = (\n1")
        with self.assertRaises(SyntaxError):
            run("if True:\nprint(1)")
        with self.assertRaises(SyntaxError):
            run("@foo\n5")

    def test_a_trailing_none_gives_way(self):
        self.check("result = 5\nprint(end='')", 5)
        self.check("x = 5\nprint(end='')", NOTHING)
        self.check("None", NOTHING)
        self.check("result = 5\n7", 7)

    def test_result_counts_only_if_this_program_sets_it(self):
        names = {"result": "old"}
        self.assertIs(run("print(end='')", names), NOTHING)
        self.assertIs(run("def f():\n    result = 1\nf()", names), NOTHING)
        self.assertEqual(run("x = 5", names), 5)
        self.assertEqual(run("def f():\n    global result\n    result = 1\nf()", names), 1)
        for source in ("for result in [1, 2]: pass", "if (result := 2): pass", "result: int = 2\nfor x in (): pass", "with __import__('contextlib').nullcontext(2) as result: pass", "match 2:\n    case result: pass", "[result := n for n in (1, 2)]\nNone", "from math import e as result\nresult = 2\nNone"):
            self.assertEqual(run(source, {"result": "old"}), 2, source)

    def test_result_comes_before_a_trailing_assignment(self):
        self.check("result = 1\nx = 2", 1)

    def test_a_trailing_assignment(self):
        self.check("x = 5", 5)
        self.check("x = y = 5", 5)
        self.check("a, b = 1, 2", (1, 2))
        self.check("[a, b] = 1, 2", (1, 2))
        self.check("x: int = 5", 5)
        self.check("x: int", NOTHING)
        self.check("x = 1\nx += 2", 3)
        self.check("d = {}\nd['a'] = 4", 4)
        self.check("a, *b = 1, 2, 3", (1, 2, 3))
        self.check("x = None", None)

    def test_a_main_guard_counts_as_the_ending(self):
        self.check("def main():\n    return 3\nif __name__ == '__main__':\n    main()", 3)

    def test_state_persists(self):
        names = {}
        run("x = 1\ndef f(): return x + 1\nNone", names)
        self.assertEqual(run("f()", names), 2)


class Return(unittest.TestCase):
    def check(self, source, expected, names=None):
        self.assertEqual(run(code(source), names), expected)

    def test_at_the_end(self):
        self.check("x = 2\nreturn x + 1", 3)
        self.check("return {'a': 1}", {"a": 1})
        self.check("return None", None)

    def test_a_trailing_return_takes_what_python_takes_and_nothing_else(self):
        self.check("x = [1, 2]\nreturn *x, 3", (1, 2, 3))
        self.check("return 1, 2  # both", (1, 2))
        self.check("return (\n    1 +\n    2\n)", 3)
        self.check("return 'a; b'", "a; b")
        self.check("return 1; x = 2", 1)
        names = {}
        self.check("x = 4\nreturn x", 4, names)
        self.assertEqual({name for name in names if not name.startswith("__")}, {"x"})
        for source in ("return x = 1", "return x for x in 'ab'", "return x := 1", "return 1 +\n  2", "return = 1", "return *[1]", "if 1:\n  return *[1]"):
            with self.assertRaises(SyntaxError, msg=source):
                program.prepare(source, "<program>")

    def test_a_bare_return_gives_way(self):
        self.check("result = 5\nif result: return\nresult = 6", 5)
        self.check("return", NOTHING)

    def test_inside_blocks(self):
        self.check("for x in range(9):\n    if x == 3:\n        return x\n'never'", 3)
        self.check("while True:\n    return 1", 1)
        self.check("match 5:\n    case int(n):\n        return n", 5)
        self.check("import contextlib\nwith contextlib.nullcontext(1) as x:\n    return x", 1)
        self.check("if False:\n    return 1\n5", 5)

    def test_no_handler_of_the_program_sees_it(self):
        for clause in ("except:", "except BaseException:", "except Exception as e:"):
            self.check(f"try:\n    return 1\n{clause}\n    return 2", 1)
        self.check("try:\n    1/0\nexcept* ZeroDivisionError:\n    x = 1\nreturn x", 1)

    def test_finally_still_runs(self):
        names = {}
        self.check("try:\n    return 1\nfinally:\n    y = 2", 1, names)
        self.assertEqual(names["y"], 2)

    def test_with_sees_no_exception(self):
        seen = []

        @contextlib.contextmanager
        def watch():
            try:
                yield
            except BaseException as error:
                seen.append(error)
                raise

        self.check("with watch():\n    return 1", 1, {"watch": watch})
        self.assertEqual(seen, [])
        self.check(
            """
            import sqlite3
            db = sqlite3.connect(":memory:")
            db.execute("create table t (a)")
            with db:
                db.execute("insert into t values (1)")
                if db: return db
            """,
            unittest.mock.ANY,
            names := {},
        )
        names["db"].rollback()
        self.assertEqual(names["db"].execute("select count(*) from t").fetchone(), (1,))

    def test_names_stay_global(self):
        names = {}
        self.check(
            """
            from __future__ import annotations
            import os.path, json as j
            from math import *
            total: int = 0
            later: str
            for i in range(3):
                total += i
            def f(): return total
            class C:
                here = total
                def get(self): return total
            squares = [i * k for k in range(3)]
            try: 1/0
            except ZeroDivisionError as e: message = str(e)
            exec("dynamic = 5")
            match {"k": 1, "o": 2}:
                case {"k": v, **rest}: pass
            [w := 1 for _ in range(1)]
            assert locals() is globals()
            fs = [lambda n=n: n + total for n in range(2)]
            del i
            if dynamic: return f() + C().get() + squares[1] + sqrt(4) + w + rest["o"] + fs[1]()
            """,
            3 + 3 + 2 + 2 + 1 + 2 + 4,
            names,
        )
        self.assertEqual((names["total"], names["message"], names["dynamic"]), (3, "division by zero", 5))
        self.assertNotIn("i", names)
        self.assertEqual(names["C"].__qualname__, "C")
        self.assertEqual(names["f"].__qualname__, "f")

    def test_in_functions_and_classes_it_is_what_it_was(self):
        self.check("def f():\n    return 1\nreturn f() + 1", 2)
        for source in ("class A:\n    return 1", "return 1\nclass A:\n    return 1"):
            with self.assertRaises(SyntaxError):
                program.prepare(source, "<program>")

    def test_yield_stays_an_error(self):
        for source in ("yield 1", "yield 1\nreturn 2"):
            with self.assertRaises(SyntaxError):
                program.prepare(source, "<program>")

    def test_with_await(self):
        self.check("import asyncio\nasync def f(): return 4\nfor _ in 'a':\n    return await f()", 4)
        self.check(
            """
            import asyncio
            done = []
            async def job(): done.append(await asyncio.sleep(0, 1))
            async with asyncio.TaskGroup() as group:
                group.create_task(job())
                if group: return done
            """,
            [1],
        )


class Asynchronous(unittest.TestCase):
    def check(self, source, expected):
        self.assertEqual(run(code(source)), expected)

    def test_top_level_await(self):
        start = "import asyncio\nasync def f(x): return x\nasync def g():\n    yield 1\n    yield 2\n"
        self.check(start + "await f(1)", 1)
        self.check(start + "x = await f(1)\nx + 1", 2)
        self.check(start + "x = await f(1)", 1)
        self.check(start + "[n async for n in g()]", [1, 2])
        self.check(start + "total = 0\nasync for n in g():\n    total += n\ntotal", 3)
        self.check(start + "await asyncio.gather(f(1), f(2))", [1, 2])
        self.check(start + "async with asyncio.timeout(5) as t:\n    x = await f(3)\nx", 3)

    def test_a_function_called_alone_on_a_line_is_awaited(self):
        start = "seen = []\nasync def main():\n    seen.append(1)\n    return 4\n"
        self.check(start + "main()\nlen(seen)", 1)
        self.check(start + "for n in range(3):\n    main()\nlen(seen)", 3)
        self.check(start + "async def outer():\n    main()\nouter()\nlen(seen)", 1)
        self.check(start + "main()\nx = len(seen)", 1)
        self.check(start + "main()", 4)
        self.check("async def f():\n    yield 1\nf()\n3", 3)
        self.check(start + "def main():\n    pass\nmain()\nlen(seen)", 0)

    def test_asyncio_run_is_awaited(self):
        start = "import asyncio\nasync def main(): return 4\n"
        self.check(start + "asyncio.run(main())", 4)
        self.check(start + "x = asyncio.run(main(), debug=True)\nx + 1", 5)
        self.check(start + "asyncio.run(main=main())", 4)
        self.check(start + "if __name__ == '__main__':\n    asyncio.run(main())", 4)
        self.check(start + "print(asyncio.run(main()), end='')\nresult = asyncio.run(main())", 4)
        self.check(start + "[asyncio.run(main()) for _ in range(2)]", [4, 4])
        self.check(start + "import asyncio as aio\naio.run(main())", 4)
        self.check(start + "from asyncio import run\nrun(main())", 4)
        self.check(start + "from asyncio import run as go\ngo(main())", 4)
        self.check(start + "loop = asyncio.get_event_loop()\nloop.run_until_complete(main())", 4)
        self.check(start + "asyncio.get_event_loop().run_until_complete(main())", 4)
        self.check(start + "return asyncio.run(main())", 4)

    def test_other_runs_are_left_alone(self):
        self.check("import asyncio\ndef run(x): return x\nrun(5)", 5)
        prepared = program.prepare("import asyncio\ndef main(): return asyncio.run(f())\nmain", "<program>")
        self.assertFalse(prepared.is_coroutine)


class Text(unittest.TestCase):
    def test_fences_are_stripped(self):
        for fence in ("```python", "```py", "```", "~~~", "~~~python", "````python", "``` Python3", "```{python}"):
            mark = fence.split("p")[0].split("P")[0].strip(" {")
            self.assertEqual(run(f"{fence}\nx = 1\nx + 1\n{mark}"), 2, fence)
        self.assertEqual(run("\n\n```python\n1 + 1\n```\n\n"), 2)
        self.assertEqual(run("Here is the code:\n\n```python\n1 + 1\n```\nThis prints two.\n"), 2)
        self.assertEqual(run("```python\n1 + 1"), 2)
        self.assertEqual(run("  ```python\n  x = 1\n  x + 1\n  ```"), 2)
        self.assertEqual(run('```python\ntext = """\n```\ninner\n```\n"""\nlen(text)\n```'), 15)

    def test_the_offset_says_where_the_code_began(self):
        self.assertEqual(program.strip_fences("Here you go, friend:\n```python\nx\n```"), ("x", 2))
        self.assertEqual(program.strip_fences("x = 1"), ("x = 1", 0))
        self.assertEqual(program.strip_fences("\ufeffx\r\ny\r"), ("x\ny\n", 0))

    def test_fences_in_strings_stay(self):
        source = 'x = """\n```python\ny\n```\n"""'
        self.assertEqual(program.strip_fences(source), (source, 0))
        self.assertEqual(run(source), "\n```python\ny\n```\n")

    def test_nothing_that_might_be_meant_is_dropped(self):
        for source in ("x = 1\n```python\ny\n```", "```python\na\n```\nand\n```python\nb\n```", "```json\n{}\n```", "```bash\nls -l\n```"):
            with self.assertRaises(SyntaxError):
                run(source)

    def test_indented_code_is_dedented(self):
        self.assertEqual(run("    x = 1\n    if x:\n        x = 2\n    x"), 2)
        self.assertEqual(run("\n\tx = 1\n\tx"), 1)
        self.assertEqual(run("    # note\n    x = 1\n\n    x"), 1)

    def test_positions_are_those_of_the_text(self):
        for source, line, column in (
            ("x = 1\ny = 1/0\ny", 2, 4),
            ("x = 1\n\n(x +\n 1/0)", 4, 1),
            ("Look here:\n```python\nx = 1\n1/0\n```", 4, 0),
            ("    x = 1\n    1/0", 2, 4),
            ("```python\n  if 1:\n    1/0\n```", 3, 4),
            ("x = 1\nif x: return 1/0", 2, 13),
            ("x = 1\nreturn 1/0", 2, 7),
            ("x = 1\nreturn [x,\n    1/0]", 3, 4),
            ("import asyncio\nasync def f(): 1/0\nasyncio.run(f())", 2, 15),
        ):
            try:
                run(source)
            except ZeroDivisionError as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
            self.assertEqual((last.lineno, last.colno), (line, column), source)
            self.assertIn(last.name, ("<module>", "f"))

    def test_positions_of_syntax_errors_are_those_of_the_text(self):
        for source, line, offset in (
            ("x = 1\ny = = 2", 2, 5),
            ("Look here:\n```python\nx = 1\ny = = 2\n```", 4, 5),
            ("    x = 1\n    y = = 2", 2, 9),
            ("x = 1\nbreak", 2, 1),
        ):
            with self.assertRaises(SyntaxError) as caught:
                run(source)
            self.assertEqual((caught.exception.lineno, caught.exception.offset), (line, offset), source)

    def test_text_that_cannot_be_code(self):
        for source in ("x = '\x00'", "x = '\ud800'", "x = 1\n\x00", "```python\nx = '\ud800'\n```"):
            with self.assertRaises(SyntaxError):
                run(source)

    def test_line_ends_of_other_systems(self):
        self.assertEqual(run("x = 1\r\nif x:\r\n    x = 2\r\nx\r\n"), 2)


class BothWays(unittest.TestCase):
    """The quick way and the tree give the same."""

    def test_on_many_programs(self):
        pieces = ["x = 1", "y = [\n1,\n2,\n]", "def f(a):\n    return a", "class A:\n    b = 1", "if 1:\n    z = 2\nelse:\n    z = 3", "s = '''\nf(1)\n'''", "for i in range(2):\n    pass", "# note", "try:\n    q = 1\nfinally:\n    pass", "with memoryview(b'') as h:\n    pass"]
        endings = ["x", "f(x)", "f(\n x,\n)", "[\n1\n]", "y[0]", "'''\na\n'''", "x if x else y", "A.b", "lambda: 1 and 2", "z == 2", "(x,\ny)", "{**{},\n'a': 1}", "s", "not x", "-x", "await g()", "x = 7", "x += 2", "x **= 2", "x == 1", "x >= 1", "w = x = 3", "w = await g()", "result = f(\n    2\n)", "w = 1; x", "w: int = 2", "lambda: dict(a=1)"]
        for ending in endings:
            source = "async def g(): return 1\n" + "\n".join(pieces) + "\n" + ending
            if "\n" not in ending and ";" not in ending and ":" not in ending[:2]:
                self.assertIsNotNone(program._split(source, "<program>"), ending)
            self.assertEqual(repr(run(source))[:20], repr(self.by_tree(source))[:20])

    def by_tree(self, source):
        names = {}
        prepared = program._rewrite(ast.parse(source), source, "<program>")
        outcome = prepared.run(names)
        if prepared.is_coroutine:
            asyncio.run(outcome)
        return prepared.value(names)[1]


if __name__ == "__main__":
    unittest.main()
