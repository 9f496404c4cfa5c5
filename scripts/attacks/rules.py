"""Ways around rules: other spellings, other doors, other types of arguments, direct mode, resources."""

import json

from suite import add, case, lacks, one_of, same

KIND = "policy bypass"

# Programs that try to call what is forbidden; whatever happens, the tool must not hear of it.
FORBIDDEN = {
    "by its function": "from servers.honest import forbidden\nawait forbidden(a=1)",
    "by its module": "import servers.honest.forbidden as f\nawait f.forbidden(a=1)",
    "by name": "await call_mcp_tool('honest', 'forbidden', {'a': 1})",
    "by name alone": "await call_mcp_tool('forbidden', {'a': 1})",
    "in capitals": "await call_mcp_tool('HONEST', 'FORBIDDEN', {'a': 1})",
    "in mixed letters": "await call_mcp_tool('Honest', 'forBidden', {'a': 1})",
    "with the prefix of clients": "await call_mcp_tool('mcp__honest__forbidden', {'a': 1})",
    "with a dot": "await call_mcp_tool('honest.forbidden', {'a': 1})",
    "with spaces": "await call_mcp_tool(' honest ', ' forbidden ', {'a': 1})",
    "with a hyphen": "await call_mcp_tool('honest', 'for-bidden', {'a': 1})",
    "with a zero": "await call_mcp_tool('honest', 'forbidden\\x00', {'a': 1})",
    "with letters of another script": "await call_mcp_tool('honest', 'f\\u043erbidden', {'a': 1})",
    "with wide letters": "await call_mcp_tool('honest', '\\uff46orbidden', {'a': 1})",
    "in camel case": "await callMCPTool('forbidden', {'a': 1})",
    "through `tidegate.call`": "from tidegate import call\nawait call('honest.forbidden', a=1)",
    "through `$call`": (
        "from tidegate import call\nawait call('$call', server='honest', tool='forbidden', arguments={'a': 1})"
    ),
    "through the door itself": (
        "import _host, json\nfor name in ('honest.forbidden', 'honest/forbidden', 'forbidden'):\n"
        "    _host.call(b'c 7 ' + json.dumps(name).encode() + b'\\n{\"a\": 1}')"
    ),
    "through the door itself as `$call`": (
        "import _host, json\n_host.call(b'c 7 \"$call\"\\n' + json.dumps({'server': 'honest', 'tool': 'forbidden', "
        "'arguments': {'a': 1}}).encode())"
    ),
    "through what bindings are made of": (
        "from _tidegate import binding, calls\nimport sys\nwhat = calls.What('x', '\"$call\"', 'honest', 'echo')\n"
        'await calls.ToolCall(what, \'{"server":"honest","tool":"forbidden","arguments":{"a":1}}\', sys._getframe())'
    ),
    "with the checks replaced": (
        "import servers.honest, _tidegate.failures as f\nf.failure = lambda value: None\n"
        "from servers.honest import forbidden\nforbidden.__globals__['allowed'] = True\nawait forbidden(a=1)"
    ),
    "as a forgotten call": "from servers.honest import forbidden\nforbidden(a=1)\nreturn 1",
    "a hundred times at once": (
        "import asyncio\nfrom servers.honest import forbidden\n"
        "await asyncio.gather(*(forbidden(a=i) for i in range(100)), return_exceptions=True)"
    ),
}


def forbidden(code, door):
    def attempt(world):
        before = len(world.notes())
        world.main.execute(code, "mallory", door, timeout=5)
        called = [note for note in world.notes()[before:] if note.startswith("honest.")]
        same(called, [], "what was called")

    return attempt


for name, code in FORBIDDEN.items():
    for door in ("REST", "MCP"):
        add(KIND, f"over {door}, a forbidden tool called {name} is not called", forbidden(code, door))

PAYMENTS = {
    "more than is allowed": {"amount": 101, "to": "acme"},
    "an amount as text": {"amount": "1", "to": "acme"},
    "an amount that is a list": {"amount": [1], "to": "acme"},
    "no amount": {"to": "acme"},
    "nobody to pay": {"amount": 1},
    "somebody else": {"amount": 1, "to": "mallory"},
    "a name in capitals": {"amount": 1, "to": "ACME"},
    "a name with a space": {"amount": 1, "to": "acme "},
    "a list of names": {"amount": 1, "to": ["acme"]},
    "an amount that is true": {"amount": True, "to": "acme"},
    "nothing": {},
    "an amount of null": {"amount": None, "to": "acme"},
    "an amount of more digits than a number has": {"amount": 10**400, "to": "acme"},
    "an amount beside an allowed one": {"amount": 1, "Amount": 5000, "AMOUNT": 5000, "to": "acme", "to ": "mallory"},
}


def payment(name, given):
    def attempt(world):
        before = len(world.notes())
        code = f"import json\nawait call_mcp_tool('honest', 'pay', json.loads({json.dumps(json.dumps(given))}))"
        world.main.execute(code, "mallory", timeout=5)
        called = [note for note in world.notes()[before:] if note.startswith("honest.pay")]
        if name == "an amount beside an allowed one":
            # The rule's own fields are as the rule wants them; the others are the tool's to refuse.
            assert all('"amount": 1,' in note for note in called), called
        else:
            same(called, [], "what was paid")

    return attempt


for name, given in PAYMENTS.items():
    add(KIND, f"a payment with {name} does not pass for a small one", payment(name, given))

PATHS = (
    "/srv/reports/../../etc/passwd",
    "/srv/reports-other/x",
    "/srv",
    "srv/reports/x",
    "/srv/reports/..",
    "/SRV/reports/x",
    "/srv/reports/%2e%2e/x",
    "\\srv\\reports\\x",
    "/srv/reports/../reports2/x",
    "//etc/passwd",
    "/srv/./../srv2/x",
    "",
)


@case(KIND, "paths that only look as if they were under a folder are not")
def under(world):
    before = len(world.notes())
    for path in PATHS:
        world.main.execute(f"await call_mcp_tool('honest', 'write', {{'path': {path!r}}})", "mallory")
    same([note for note in world.notes()[before:] if "honest.write" in note], [], "what was written")
    world.main.execute("await call_mcp_tool('honest', 'write', {'path': '/srv/reports/x'})", "mallory")
    assert any("honest.write" in note for note in world.notes()[before:]), "what is under it was refused, too"


QUERIES = (
    "DELETE FROM t",
    "select 1; drop table t",
    "SELECT 1;\nDELETE FROM t",
    "/* select */ delete from t",
    "-- x\ndelete from t",
    "WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x",
    "select * into t2 from t",
    "EXPLAIN ANALYZE DELETE FROM t",
    "select pg_sleep(1); truncate t",
    "PRAGMA writable_schema = 1",
    "ATTACH 'x' AS y",
    "/*! delete from t */",
    "select 1 /*! ; drop table t */",
    "SELECT 1 FROM t FOR UPDATE; UPDATE t SET a = 1",
    "call wipe()",
    "vacuum",
    "set role admin",
    "copy t to '/tmp/x'",
    "select * from t into outfile '/tmp/x'",
    "s\u0435lect 1",
    "",
    ";",
    "do $$ begin delete from t; end $$",
    "insert into t select 1",
    "merge into t using s on 1=1 when matched then delete",
    "grant all on t to x",
    "begin; delete from t; commit",
    # To PostgreSQL, `(x).f` and, of what a function gave, `s.f` are calls.
    "SELECT (CAST('s' AS regclass)).nextval",
    "SELECT (CAST('postgresql.conf' AS text)).pg_read_file",
    "SELECT (t.pid).pg_cancel_backend FROM t",
    "SELECT t.pg_cancel_backend FROM t",
    "SELECT (SELECT 5).lo_unlink",
    "SELECT (ARRAY[5])[1].lo_unlink",
    "SELECT s.lo_unlink FROM generate_series(1, 9) AS s",
    "SELECT s.my_own FROM unnest(ARRAY[1]) AS s",
    # To SQLite, a pragma is a table.
    "SELECT * FROM pragma_optimize",
    "SELECT * FROM main.\"pragma_optimize\" WHERE arg = 65538",
    "SELECT 1 IN pragma_optimize",
    # To MySQL, `WHERE` can follow there.
    "SHOW INDEX FROM t WHERE sleep(5)",
)


@case(KIND, "SQL that changes something does not pass for SQL that reads")
def reads(world):
    before = len(world.notes())
    code = (
        f"import json\nfor sql in json.loads({json.dumps(json.dumps(QUERIES))}):\n"
        "    try: await call_mcp_tool('honest', 'query', {'sql': sql})\n"
        "    except Exception as e: print(type(e).__name__)\nreturn 1"
    )
    assert world.main.execute(code, "mallory", timeout=20).success
    same([note for note in world.notes()[before:] if "honest.query" in note], [], "what was asked")
    world.main.execute("await call_mcp_tool('honest', 'query', {'sql': 'select a from t where b = 1'})", "mallory")
    assert any("honest.query" in note for note in world.notes()[before:]), "SQL that reads was refused, too"


@case(KIND, "a limit per run is not passed by calls at once, by other spellings or by catching errors")
def per_run(world):
    before = len(world.notes())
    code = (
        "import asyncio\nfrom servers.honest import limited\n"
        "await asyncio.gather(*(limited(a=i) for i in range(20)), return_exceptions=True)\n"
        "for name in ('limited', 'LIMITED', 'Limited'):\n    try: await call_mcp_tool('honest', name, {'a': 1})\n"
        "    except Exception as e: print(type(e).__name__)\nreturn 1"
    )
    assert world.main.execute(code, "mallory", timeout=15).success
    called = [note for note in world.notes()[before:] if "honest.limited" in note]
    assert 1 <= len(called) <= 3, f"it was called {len(called)} times"


@case(KIND, "a destructive tool waits for somebody also by another spelling of its name")
def destructive(world):
    before = len(world.notes())
    for name in ("wipe", "WIPE", "mcp__honest__wipe"):
        arguments = f"'honest', '{name}'" if "__" not in name else f"'{name}'"
        done = world.main.ask(
            "POST", "/execute?async=true", {"code": f"await call_mcp_tool({arguments}, {{'what': 'x'}})"}, "mallory"
        )
        import time

        time.sleep(0.5)
        world.main.ask("POST", f"/api/v1/runs/{done.json['run_id']}/cancel", who="mallory")
    same([note for note in world.notes()[before:] if "wipe" in note], [], "what was called")


@case(KIND, "an analysis calls no tool that rules forbid")
def analysis(world):
    before = len(world.notes())
    for tool in ("honest.forbidden", "honest.FORBIDDEN", "forbidden", "mcp__honest__forbidden"):
        world.main.ask(
            "POST",
            "/api/v1/analysis",
            {"analysis_type": "describe", "data": {"tool": tool, "arguments": {"a": 1}}},
            "mallory",
        )
    same([note for note in world.notes()[before:] if note.startswith("honest.")], [], "what was called")


@case(KIND, "a program cannot read or change rules")
def configuration(world):
    code = (
        "import os\nfound = []\nfor where, _, files in os.walk('/'):\n"
        "    found += [one for one in files if 'tidegate.toml' in one]\n"
        "return found"
    )
    same(world.main.execute(code, "mallory", timeout=20).value, [], "files with rules")
    answer = world.main.ask("POST", "/execute", {"code": "return 1", "policy": {"destructive": "allow"}}, "mallory")
    same(answer.status, 400, "a field for rules")


@case(KIND, "a forbidden tool that is passed through directly is not called")
def direct(world):
    before = len(world.notes())
    for name in ("forbidden", "honest__forbidden", "FORBIDDEN", "forbidden ", "honest.forbidden"):
        told = world.direct.tool(name, {"a": 1}, "mallory")
        assert "error" in told or told["result"].get("isError"), told
    same([note for note in world.notes()[before:] if note.startswith("honest.")], [], "what was called")


@case(KIND, "a destructive tool that is passed through directly waits for somebody")
def direct_ask(world):
    before = len(world.notes())
    told = world.direct.tool("wipe", {"what": "x"}, "mallory")
    assert told["result"].get("isError"), told
    same([note for note in world.notes()[before:] if note.startswith("honest.wipe")], [], "what was called")


@case(KIND, "a payment that is too large is not passed through directly")
def direct_pay(world):
    before = len(world.notes())
    for given in ({"amount": 101, "to": "acme"}, {"amount": "1", "to": "acme"}, {}):
        told = world.direct.tool("pay", given, "mallory")
        assert "error" in told or told["result"].get("isError"), told
    told = world.direct.rpc("tools/call", {"name": "pay"}, "mallory")
    assert "error" in told or told["result"].get("isError"), told
    same([note for note in world.notes()[before:] if note.startswith("honest.pay")], [], "what was paid")


@case(KIND, "resources that rules close cannot be read by a client where tools are passed through directly")
def direct_resources(world):
    before = len(world.notes())
    told = world.direct.rpc("resources/read", {"uri": "honest://paper"}, "mallory")
    lacks(str(told), "what the paper says", "the answer")
    assert "error" in told, told
    same([note for note in world.notes()[before:] if "$resource" in note], [], "what was read")


@case(KIND, "prompts that rules close cannot be had by a client where tools are passed through directly")
def direct_prompts(world):
    before = len(world.notes())
    told = world.direct.rpc("prompts/get", {"name": "letter"}, "mallory")
    lacks(str(told), "what the letter says", "the answer")
    assert "error" in told, told
    same([note for note in world.notes()[before:] if "$prompt" in note], [], "what was asked for")


@case(KIND, "resources and prompts that rules close cannot be read by a program")
def closed(world):
    before = len(world.notes())
    for code in (
        "return str(await read_resource('honest', 'honest://paper'))",
        "return str(await read_resource('honest://paper'))",
        "return str(await get_prompt('honest', 'letter'))",
        "return str(await get_prompt('letter'))",
        "from tidegate import call\nreturn await call('$resource', server='honest', uri='honest://paper')",
    ):
        done = world.direct.execute(code, "mallory")
        assert done.success is False, done.raw[:300]
    same([note for note in world.notes()[before:] if "$" in note], [], "what was read")


@case(KIND, "in code mode, tools of servers cannot be called past the program")
def code_mode(world):
    before = len(world.notes())
    for name in ("echo", "honest__echo", "honest.echo", "forbidden", "mcp__honest__echo"):
        told = world.main.tool(name, {"a": 1}, "mallory")
        assert "error" in told or told["result"].get("isError"), told
    same([note for note in world.notes()[before:] if note.startswith("honest.")], [], "what was called")


@case(KIND, "in direct mode, programs cannot be run past the tools")
def direct_mode(world):
    told = world.direct.tool("execute_python", {"code": "return 42"}, "mallory")
    assert "error" in told or told["result"].get("isError"), told
    one_of("42" in str(told.get("result", "")), (False,), "whether it ran")


@case(KIND, "a secret handle goes to no tool that the operator did not name")
def handles(world):
    before = len(world.notes())
    secret = "pass" + "word-of-a-caller"
    done = world.main.execute(
        "from servers.honest import echo\nreturn await echo(a=secrets['db'])",
        "mallory",
        context={"db": {"$secret": secret}},
    )
    assert done.success is False, done.raw[:300]
    lacks(done.raw, secret, "the answer")
    printed = world.main.execute(
        "print(secrets['db'], repr(secrets), dict(secrets))\nreturn str(globals())",
        "mallory",
        context={"db": {"$secret": secret}},
    )
    lacks(printed.raw, secret, "the answer")
    same([note for note in world.notes()[before:] if note.startswith("honest.")], [], "what was called")
