"""Where a forgotten `await` is put in, and where it must not be."""

import ast
import textwrap
import unittest

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import awaits

IMPORTS = "import asyncio, json, gc\nimport pandas as pd\nimport servers.demo as demo\nfrom servers.demo import f, g\n"


def mended(source, session=()):
    """The program after mending, without its imports."""
    tree = ast.parse(IMPORTS + textwrap.dedent(source))
    awaits._Mending(tree, dict(session)).mend()
    return "\n".join(ast.unparse(tree).split("\n")[4:]).strip()


class Mending(unittest.TestCase):
    def check(self, source, expected=None):
        source = textwrap.dedent(source).strip()
        expected = source if expected is None else textwrap.dedent(expected).strip()
        self.assertEqual(mended(source), ast.unparse(ast.parse(expected)))

    def test_a_call_used_where_it_stands(self):
        for before, after in (
            ("f()['count']", "(await f())['count']"),
            ("f().items()", "(await f()).items()"),
            ("for x in f():\n    pass", "for x in await f():\n    pass"),
            ("if f():\n    pass", "if await f():\n    pass"),
            ("x = f() + 1", "x = await f() + 1"),
            ("x = not f()", "x = not await f()"),
            ("print(f(), sep=g())", "print(await f(), sep=await g())"),
            ("x = f'{f()}'", "x = f'{await f()}'"),
            ("json.dumps(f(), indent=2)", "json.dumps(await f(), indent=2)"),
            ("json.dumps({'a': [f()]})", "json.dumps({'a': [await f()]})"),
            ("pd.DataFrame(f())", "pd.DataFrame(await f())"),
            ("f(g())", "await f(await g())"),
            ("f(a=demo.h(1))", "await f(a=await demo.h(1))"),
            ("rows.extend(f())", "rows.extend(await f())"),
            ("x = f() or []", "x = await f() or []"),
            ("x = [f(i)['n'] for i in range(3)]", "x = [(await f(i))['n'] for i in range(3)]"),
            ("x = [i for i in f()]", "x = [i for i in await f()]"),
            ("x = sum(i for i in f())", "x = sum((i for i in await f()))"),
            ("a, b = f()", "a, b = await f()"),
            ("x += f()", "x += await f()"),
            ("f()", "await f()"),
        ):
            self.check(before, after)

    def test_a_variable_that_is_only_used_as_a_value(self):
        for use in ("x['a']", "x.get('a')", "print(x)", "len(x)", "for i in x:\n    pass", "x", "y = [i for i in x]", "f(x)", "x == 1"):
            self.check(f"x = f()\n{use}", f"x = await f()\n{'await ' * (use == 'f(x)')}{use}")
        self.check("x: dict = f()\nx['a']", "x: dict = await f()\nx['a']")
        self.check("a, b = f(), g()\na['x'] + b['y']", "a, b = await f(), await g()\na['x'] + b['y']")
        self.check("x = f()\ny = x\ny['a']", "x = await f()\ny = x\ny['a']")
        self.check("x = f()", "x = await f()")
        self.check("x = f() if 1 else None\nx['a']", "x = await f() if 1 else None\nx['a']")

    def test_a_variable_that_somebody_may_await(self):
        for use in ("await x", "asyncio.gather(x)", "await asyncio.gather(x, g())", "y = [x]\nawait asyncio.wait(y)", "asyncio.create_task(x)", "later(x)"):
            self.check(f"x = f()\n{use}")
        self.check("x = f()\ny = x\nprint(await y)")
        self.check("async def wait(x):\n    return await x\nz = f()\nawait wait(z)")

    def test_calls_for_gather_stay_as_they_are(self):
        self.check("await asyncio.gather(f(), g())")
        self.check("x = [f(i) for i in range(3)]\nawait asyncio.gather(*x)")
        self.check("x = []\nfor i in range(3):\n    x.append(f(i))\nawait asyncio.gather(*x)")
        self.check("async with asyncio.TaskGroup() as t:\n    t.create_task(f())")
        self.check("x = {'a': f()}\nfor c in x.values():\n    await c")

    def test_calls_that_are_kept_where_nothing_could_await_them(self):
        self.check("x = [f(i) for i in range(3)]\nx[0]['a']", "x = [await f(i) for i in range(3)]\nx[0]['a']")
        self.check("x = {}\nx['a'] = f()\nx['a']['b']", "x = {}\nx['a'] = await f()\nx['a']['b']")
        self.check("x = []\nx.append(f())\nawait asyncio.sleep(0)", "x = []\nx.append(await f())\nawait asyncio.sleep(0)")
        self.check("def name(x):\n    return x['n']\nname(f())", "def name(x):\n    return x['n']\nname(await f())")

    def test_calls_in_plain_functions_are_made_where_they_stand(self):
        made = "__tidegate_result__(f())"
        self.check("def plain():\n    return f()['a']", f"def plain():\n    return {made}['a']")
        self.check("x = lambda: f()['a']", f"x = lambda: {made}['a']")
        self.check("x = (f()['a'] for i in range(3))", f"x = ({made}['a'] for i in range(3))")
        self.check("def plain():\n    f()\n    return 1", f"def plain():\n    {made}\n    return 1")
        self.check("def plain():\n    x = f()\n    return 1", f"def plain():\n    x = {made}\n    return 1")
        self.check("class A:\n    def m(self):\n        print(f())", f"class A:\n    def m(self):\n        print({made})")

    def test_calls_that_plain_functions_give_away_stay_as_they_are(self):
        self.check("def plain():\n    return f()")
        self.check("def plain():\n    x = f()\n    return x")
        self.check("def plain():\n    return [f(), g()]")
        self.check("def plain():\n    x = []\n    x.append(f())\n    return x\nawait asyncio.gather(*plain())")
        self.check("x = lambda: f()")

    def test_only_where_await_is_allowed(self):
        self.check("class A:\n    x = f()['a']")
        self.check("def plain(a: f()['x']):\n    pass")
        self.check("def plain(a=f()['x']):\n    pass", "def plain(a=(await f())['x']):\n    pass")
        self.check("async def main():\n    return f()['a']", "async def main():\n    return (await f())['a']")
        self.check("async def main():\n    x = f()\n    return x", "async def main():\n    x = await f()\n    return x")
        self.check("class A:\n    async def m(self):\n        return f()['a']", "class A:\n    async def m(self):\n        return (await f())['a']")

    def test_names_that_mean_something_else(self):
        self.check("def f():\n    return {}\nf()['a']")
        self.check("f = dict\nf()['a']")
        self.check("async def main(f):\n    return f()['a']")
        self.check("other()['a']")

    def test_every_way_to_name_a_tool(self):
        self.check("demo.h()['a']", "(await demo.h())['a']")
        self.check("call_mcp_tool('a', 'b', {})['a']", "(await call_mcp_tool('a', 'b', {}))['a']")
        self.check("callMCPTool('a', {})['a']", "(await callMCPTool('a', {}))['a']")
        self.check("h = demo.h\nh()['a']", "h = demo.h\n(await h())['a']")
        self.check("from servers.demo.x import x\nx()['a']", "from servers.demo.x import x\n(await x())['a']")
        self.check("from servers.demo.x import X\nX()['a']")
        self.check("import servers.demo.x as x\nx()['a']", "import servers.demo.x as x\n(await x())['a']")
        self.assertEqual(mended("h()['a']", {"h": "tool"}), "(await h())['a']")
        self.assertEqual(mended("m.h()['a']", {"m": "server"}), "(await m.h())['a']")

    def test_scopes_are_told_apart(self):
        self.check(
            "x = f()\nx['a']\nasync def other(x):\n    return await x\nasync def third():\n    x = g()\n    return await asyncio.gather(x)",
            "x = await f()\nx['a']\nasync def other(x):\n    return await x\nasync def third():\n    x = g()\n    return await asyncio.gather(x)",
        )
        self.check("x = f()\nx['a']\ny = [x for x in (1, 2)]", "x = await f()\nx['a']\ny = [x for x in (1, 2)]")

    def test_positions_stay(self):
        tree = ast.parse("from servers.demo import f\nx = f(  1)\nx['a']")
        awaits._Mending(tree, {}).mend()
        awaited = tree.body[1].value
        self.assertIsInstance(awaited, ast.Await)
        self.assertEqual((awaited.lineno, awaited.col_offset, awaited.value.end_col_offset), (2, 4, 10))
        compile(tree, "<p>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    def test_programs_without_tools_are_not_looked_at(self):
        for source in ("1 + 1", "import asyncio\nawait asyncio.sleep(0)", "x = 'service'"):
            self.assertEqual(awaits.mender(source, {}), (False, None), source)
        self.assertIsNotNone(awaits.mender("from servers.a import b\nb()", {})[1])
        self.assertIsNotNone(awaits.mender("b()", {"b": "tool"})[1])

    def test_programs_that_plainly_await_everything_are_not_parsed(self):
        for source in (
            "from servers.a import b\nx = await b(1)",
            "from servers.a import b, c\nx = [await b(1), await c()]\nprint(x)",
            "import json\nfrom servers.a import b\njson.dumps(await b())",
            "x = await call_mcp_tool('a', 'b', {})",
        ):
            self.assertEqual(awaits.mender(source, {}), (True, None), source)

    def test_whatever_else_is_done_with_a_tool_is_looked_at(self):
        for source in (
            "from servers.a import b\nx = await b(1)\ny = b(2)",
            "from servers.a import b as c\nawait b()\nc()",
            "from servers.a import *\nb()",
            "from servers.a import (b,\n c)\nc()",
            "from servers.a import b\nasyncio.gather(b(), b())",
            "from servers.a import b; b()",
            "from servers import a\na.b()",
            "import servers.a\nservers.a.b()",
            "if True:\n    from servers.a import b\nb()",
            "call_mcp_tool('a', 'b', {})",
            "from servers.a import b\nf = b\nawait b()",
        ):
            uses, mend = awaits.mender(source, {})
            self.assertTrue(uses and mend is not None, source)
