"""Definitions of tools that try to become paths, code, other tools or endless work on their way to bindings."""

import json

from gateway import hello
from suite import add, case, lacks, same

KIND = "poisoned tool definitions"

CHECK = """
import builtins, os, servers
owned = hasattr(builtins, "OWNED")
"""


def program(world, code, door="REST"):
    """A program's value, after which nothing may have been taken over."""
    done = world.main.execute(CHECK + code, "mallory", door, timeout=20, output_strategy="none")
    assert done.success, done.raw[:700]
    return done.value


@case(KIND, "everything of the poisoned server is imported, and none of its words is run")
def imported(world):
    code = (
        "import importlib, servers.poisoned as p\nseen = []\n"
        "for name in sorted(os.listdir('/servers/poisoned')):\n"
        "    if name.endswith('.py') and not name.startswith('__'):\n"
        "        importlib.import_module('servers.poisoned.' + name[:-3])\n        seen.append(name)\n"
        "return [hasattr(builtins, 'OWNED'), len(seen), 'plain.py' in seen]"
    )
    owned, count, plain = program(world, code)
    same(owned, False, "whether a description was run")
    assert plain and count > 20, f"only {count} files"


@case(KIND, "names with paths make no file beyond the server's own folder")
def files(world):
    code = (
        "found = []\nfor where, folders, files in os.walk('/servers'):\n"
        "    found += [os.path.join(where, one) for one in folders + files]\n"
        "return [owned, found]"
    )
    owned, found = program(world, code)
    same(owned, False)
    for path in found:
        assert path.startswith("/servers/") and ".." not in path, path
        name = path.rsplit("/", 1)[1]
        assert len(name) < 256 and name.isprintable() and "\\" not in name, f"{name!r:.100}"
    assert not any(path.startswith(("/servers/etc", "/servers/absolute")) for path in found)


@case(KIND, "every generated Python file is a program that only defines things")
def parsed(world):
    code = (
        "import ast\nwrong = []\nfor where, _, files in os.walk('/servers/poisoned'):\n    for one in files:\n"
        "        if one.endswith('.py'):\n            source = open(os.path.join(where, one)).read()\n"
        "            for node in ast.walk(ast.parse(source)):\n"
        "                if isinstance(node, ast.Name) and node.id in ('__import__', 'eval', 'exec') or \\\n"
        "                   isinstance(node, ast.Attribute) and node.attr == 'OWNED':\n"
        "                    wrong.append([one, ast.unparse(node)])\n"
        "return [owned, wrong]"
    )
    same(program(world, code), [False, []], "what was found")


@case(KIND, "generated TypeScript has no comment that its description ends")
def typescript(world):
    code = (
        "wrong = []\nfor where, _, files in os.walk('/servers'):\n    for one in files:\n"
        "        if one.endswith('.ts') and 'process.exit(1) /*' in open(os.path.join(where, one)).read():\n"
        "            if '*/ process.exit' in open(os.path.join(where, one)).read(): wrong.append(one)\nreturn wrong"
    )
    same(program(world, code), [], "what was found")


@case(KIND, "tools that are called like words of Python and builtins hide neither")
def shadowed(world):
    code = (
        "from servers.poisoned import *\nreturn [owned, print.__module__, open.__module__, eval.__module__, "
        "len.__module__, call_mcp_tool.__module__, search_tools.__module__]"
    )
    first = program(world, "return [print.__module__, call_mcp_tool.__module__, search_tools.__module__]")
    again = program(
        world, "import servers.poisoned\nreturn [print.__module__, call_mcp_tool.__module__, search_tools.__module__]"
    )
    same(again, first, "the builtins after the import")
    star = program(world, code)
    same(star[0], False)


@case(KIND, "a tool called `$call` or `$resource` does not take the place of the gateway's own")
def dollars(world):
    before = len(world.notes())
    done = world.main.execute("return await call_mcp_tool('honest', 'echo', {'a': 1})", "mallory")
    same(done.value, {"echo": {"a": 1}}, "the answer")
    resource = world.main.execute("return str(await read_resource('honest', 'honest://paper'))", "mallory")
    assert resource.success, resource.raw[:300]
    assert not any(note.startswith("poisoned") for note in world.notes()[before:]), world.notes()[before:]


@case(KIND, "a tool called like one of the gateway's own does not take its place over MCP")
def own_tools(world):
    told = world.main.rpc("tools/list", {}, "mallory")
    same(sorted(tool["name"] for tool in told["result"]["tools"]), ["execute_python", "search_tools"], "the tools")
    before = len(world.notes())
    world.main.tool("search_tools", {"query": "echo"}, "mallory")
    assert not any("poisoned" in note for note in world.notes()[before:])


@case(KIND, "a huge description does not make a search or a listing huge")
def huge(world):
    for path in (
        "/api/v1/mcp/tools/search?query=huge&detail_level=full&limit=5",
        "/api/v1/mcp/tools/search?query=word&limit=50",
    ):
        answer = world.main.ask("GET", path, who="mallory")
        same(answer.status, 200, "the search")
        assert len(answer.body) < 3 << 20, f"the answer has {len(answer.body)} bytes"
    told = world.main.tool("search_tools", {"query": "huge", "detail_level": "full", "server": "poisoned"}, "mallory")
    assert len(json.dumps(told)) < 300_000, f"the model gets {len(json.dumps(told))} bytes"


@case(KIND, "schemas that refer to files and addresses are not followed")
def references(world):
    world.main.ask("GET", "/api/v1/tools/poisoned/remote", who="mallory")
    program(world, "import servers.poisoned.remote\nreturn 1")
    same(world.listener.heard, [], "what was heard on the host's port")
    lacks(world.main.ask("GET", "/api/v1/tools/poisoned/remote", who="mallory").text, "root:", "the definition")


SCHEMAS = {
    "selfish": "refers to itself",
    "ring": "refers to itself in a ring",
    "bomb": "doubles forty times",
    "deep": "is ninety levels deep",
    "wide": "has five thousand parameters",
    "notschema": "is no schema",
    "parameter": "has parameters that are code",
    "default": "has defaults that are code",
    "title": "has titles that are code",
    "output": "describes a result with code",
}


def schema(name):
    def attempt(world):
        answer = world.main.ask("GET", f"/api/v1/tools/poisoned/{name}", who="mallory", wait=20)
        assert answer.status in (200, 404), answer.status
        assert len(answer.body) < 4 << 20, f"the definition has {len(answer.body)} bytes"
        code = (
            f"import servers.poisoned as p\nf = getattr(p, {name!r}, None)\n"
            "return [hasattr(builtins, 'OWNED'), len(repr(f))]"
        )
        owned, length = program(world, code)
        same(owned, False, "whether the schema was run")
        assert length < 5000

    return attempt


for name, what in SCHEMAS.items():
    add(KIND, f"a tool whose schema {what} is shown and imported, and does nothing else", schema(name))


@case(KIND, "a description that gives orders reaches the model only where it asked for that tool, and as data")
def injected(world):
    told = world.main.rpc("tools/list", {}, "mallory")
    lacks(json.dumps(told), "IMPORTANT>Before", "the tools that a model reads unasked")
    began = world.main.post(hello(), "mallory")
    lacks(began.text, "honest.wipe", "what a model is told at first")


@case(KIND, "control letters and letters of another direction do not reach those who read definitions")
def control(world):
    for name in ("hidden", "escape", "comment"):
        answer = world.main.ask("GET", f"/api/v1/tools/poisoned/{name}", who="mallory")
        lacks(answer.body, b"\x1b", "the definition")
    code = (
        "wrong = []\nfor where, _, files in os.walk('/servers/poisoned'):\n    for one in files:\n"
        "        if one.endswith('.py'):\n            text = open(os.path.join(where, one)).read()\n"
        "            if any(c in text for c in '\\x1b\\x07\\x00\\u202e\\u2066\\u2028\\x85'): wrong.append(one)\n"
        "return wrong"
    )
    same(program(world, code), [], "files with such letters")


@case(KIND, "names that look alike are tools of their own, and each call reaches the one that was named")
def alike(world):
    before = len(world.notes())
    for name in ("p\u0430y", "\uff50\uff41\uff59", "pay\u202eyap"):
        world.main.execute(
            f"try: await call_mcp_tool('poisoned', {name!r}, {{}})\nexcept Exception as e: print(type(e))", "mallory"
        )
    assert not any("honest.pay" in note for note in world.notes()[before:]), "another server's tool was called"


@case(KIND, "a server that says its deleting tool only reads is not believed")
def liar(world):
    shown = world.main.ask(
        "POST", "/api/v1/validate", {"code": "from servers.poisoned import liar\nawait liar()"}, "mallory"
    )
    tools = {tool.get("name", tool.get("tool")): tool["risk"] for tool in shown.json["tools"]}
    assert tools and all(risk != "read-only" for risk in tools.values()), shown.text[:300]


@case(KIND, "what a server calls itself reaches no terminal with control letters in it")
def named(world):
    shown = world.main.ask("GET", "/api/v1/servers", who="mallory")
    lacks(shown.body, b"\x1b", "the list of servers")
    listed = world.main.command("list")
    lacks(listed.stdout + listed.stderr, "\x1b[2J", "what `tidegate list` prints")


@case(KIND, "names and descriptions reach no terminal with control letters in them")
def printed(world):
    shown = world.main.command("tools", "show", "poisoned.escape")
    for letter in ("\x1b", "\x07", "\x9b", "\u202e"):
        lacks(shown.stdout, letter, "what `tidegate tools show` prints")
