//! What a review says of programs: rules, tools, estimates and verdicts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use catalog::{Annotations, Catalog, Listing};
use check::review::{Action, Actions, Review, Risk, Rule, ToolRisk, Verdict};
use check::{Checker, Program, Rules};
use insta::assert_snapshot;
use serde_json::json;

fn catalog() -> Arc<Catalog> {
    static MADE: LazyLock<Arc<Catalog>> = LazyLock::new(|| {
        let listings: Vec<Listing> = serde_json::from_value(json!([
            {"server": "forge", "tools": [
                {"name": "get_issue", "annotations": {"readOnlyHint": true}},
                {"name": "create_issue", "annotations": {"readOnlyHint": false, "destructiveHint": false}},
                {"name": "delete_repo", "annotations": {"readOnlyHint": false, "destructiveHint": true}},
                {"name": "search_web", "annotations": {"readOnlyHint": true, "openWorldHint": true}},
            ]},
            {"server": "wild", "tools": [
                {"name": "read_all", "annotations": {"readOnlyHint": true}},
                {"name": "do_it"},
                {"name": "wipe", "annotations": {"destructiveHint": true}},
            ]},
        ]))
        .unwrap();
        Arc::new(Catalog::new(listings.into_iter().map(Arc::new).collect()))
    });
    Arc::clone(&MADE)
}

fn rules() -> Rules {
    Rules { trusted: vec!["forge".to_owned()], calls: Some(100), ..Rules::default() }
}

fn review_with(source: &str, rules: &Rules) -> Review {
    let checker = Checker::new(catalog()).with_patience(Duration::from_secs(300));
    let program = Program { source, rules: Some(rules), ..Program::default() };
    let alone = checker.review(&program);
    let checked = checker.check(&program).review;
    assert_eq!(alone, checked, "a review does not depend on the check around it");
    assert_eq!(alone, checker.review(&program), "the same program has the same review");
    alone
}

fn review(source: &str) -> Review {
    review_with(source, &rules())
}

/// The rules that were violated, in the order of the program.
fn found(source: &str) -> Vec<&'static str> {
    review(source).violations.iter().map(|one| one.rule.name()).collect()
}

/// How often a tool is called, and whether anybody can say so.
fn calls(source: &str, tool: &str) -> (u64, bool) {
    let review = review(source);
    let used = review.tools.iter().find(|one| one.tool == tool);
    let used = used.unwrap_or_else(|| panic!("{tool} is not among {:?}", review.tools));
    (used.calls, used.unbounded)
}

#[test]
fn an_ordinary_program_has_nothing_against_it() {
    let review = review(
        "import asyncio, json, re\nimport pandas as pd\nfrom servers.forge import get_issue\n\
         pattern = re.compile('a')\n\
         rows = await asyncio.gather(*(get_issue(number=n) for n in range(10)))\n\
         names = [type(one).__name__ for one in rows]\n\
         frame = pd.DataFrame(rows)\nframe.eval('a = 1')\n\
         print(json.dumps(names))\n",
    );
    assert_eq!((review.is_safe, review.risk, &review.violations[..]), (true, Risk::Low, &[][..]));
    assert_eq!((review.estimates.calls, review.estimates.unbounded), (10, false));
    assert_eq!(review.estimates.lines, 9);
}

#[test]
fn dangerous_constructs_are_found_however_they_are_reached() {
    for (source, rule) in [
        ("eval('1')", "dynamic-execution"),
        ("exec('x = 1')", "dynamic-execution"),
        ("f = eval\nf('1')", "dynamic-execution"),
        ("eval = eval\neval('1')", "dynamic-execution"),
        ("compile('1', 'x', 'eval')", "dynamic-execution"),
        ("import builtins\nbuiltins.exec('1')", "dynamic-execution"),
        ("from builtins import eval as e\ne('1')", "dynamic-execution"),
        ("import types as t\nt.FunctionType", "dynamic-execution"),
        ("import runpy", "dynamic-execution"),
        ("__import__('os')", "dynamic-import"),
        ("import importlib\nimportlib.import_module('os')", "dynamic-import"),
        ("import importlib as i\ni.import_module('os')", "dynamic-import"),
        ("from importlib import import_module as im\nim('os')", "dynamic-import"),
        ("().__class__.__base__.__subclasses__()", "dunder-walk"),
        ("(lambda: 0).__globals__", "dunder-walk"),
        ("__builtins__['open']", "dunder-walk"),
        ("print.__self__", "dunder-walk"),
        ("getattr(0, '__sub' + 'classes__')", "dunder-walk"),
        ("getattr(0, f'__{1}__')", "dunder-walk"),
        ("name = '__globals__'\ngetattr(print, name)", "dunder-walk"),
        ("type.__dict__['__subclasses__']", "dunder-walk"),
        ("import operator\noperator.attrgetter('__glo' + 'bals__')", "dunder-walk"),
        ("import ctypes", "native-code"),
        ("from ctypes import CDLL", "native-code"),
        ("import ctypes.util as u", "native-code"),
        ("import sys\nsys._getframe()", "frame-walk"),
        ("from sys import _getframe as g", "frame-walk"),
        ("try:\n    1/0\nexcept Exception as e:\n    e.__traceback__.tb_frame", "frame-walk"),
        ("(x for x in ()).gi_frame", "frame-walk"),
        ("import inspect\ninspect.stack()", "frame-walk"),
        ("import gc\ngc.get_objects()", "gc-walk"),
        ("import pickle\npickle.loads(b'')", "unsafe-loading"),
        ("import os\nos.system('id')", "process-or-network"),
        ("from os import popen as p", "process-or-network"),
        ("import socket", "process-or-network"),
        ("import sys\nsys.modules['os']", "interpreter-change"),
        ("name = 'x'\ngetattr(0, name)", "computed-attribute"),
    ] {
        assert!(found(source).contains(&rule), "{source}: {:?}", found(source));
    }
}

#[test]
fn what_only_looks_dangerous_is_let_be() {
    for source in [
        "import re\nre.compile('a')",
        "from re import compile\ncompile('a')",
        "def compile(x):\n    return x\ncompile(1)",
        "class Shop:\n    def exec(self): ...\nShop().exec()",
        "def run(eval):\n    return eval(1)\nrun(print)",
        "import pandas as pd\npd.DataFrame({'a': [1]}).query('a > 0').eval('a')",
        "class A:\n    def __init__(self): self.x = 1\nA().__class__.__name__, A().__dict__, A.__doc__",
        "getattr(0, 'real')",
        "import importlib.metadata",
        "x = 'the word eval in a text'",
        "if __name__ == '__main__':\n    print(1)",
    ] {
        assert!(found(source).is_empty(), "{source}: {:?}", found(source));
    }
}

#[test]
fn imports_are_held_against_the_list_of_the_level() {
    let strict = Rules { imports: Some(vec!["json".to_owned()]), ..rules() };
    let review = review_with(
        "import json\nimport os.path\nfrom servers.forge import get_issue\nimport forge\n\
         def f():\n    from urllib import parse\n",
        &strict,
    );
    let told: Vec<String> = review
        .violations
        .iter()
        .map(|one| format!("{}:{} {} ({})", one.line, one.column, one.message, one.rule))
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    2:8 imports `os`, which this level does not list (import-not-allowed)
    6:10 imports `urllib`, which this level does not list (import-not-allowed)
    ");
    assert_eq!(review.violations[0].source, "import os.path");
}

#[test]
fn calls_are_counted_through_loops_and_functions() {
    let head = "import asyncio\nfrom servers.forge import get_issue\n";
    for (body, expected) in [
        ("await get_issue()\n", (1, false)),
        ("for n in range(7):\n    await get_issue()\n", (7, false)),
        ("for n in range(2, 11, 3):\n    await get_issue()\n", (3, false)),
        ("for n in range(9, 0, -2):\n    await get_issue()\n", (5, false)),
        ("for a in [1, 2]:\n    for b in 'xyz':\n        await get_issue()\n", (6, false)),
        (
            "zones = ['a', 'b', 'c']\nawait asyncio.gather(*(get_issue(z) for z in zones))\n",
            (3, false),
        ),
        ("zones = ['a']\nzones.append('b')\nfor z in zones:\n    await get_issue()\n", (1, true)),
        ("for n in unknown()[:5]:\n    await get_issue()\n", (5, false)),
        ("for i, n in enumerate(sorted({1, 2, 3})):\n    await get_issue()\n", (3, false)),
        ("N = 4\nfor n in range(N * 2):\n    await get_issue()\n", (8, false)),
        ("[await get_issue() for a in range(3) for b in range(4) if b]\n", (12, false)),
        ("[x for a in range(3) for b in await get_issue()]\n", (3, false)),
        ("[x for a in await get_issue() for b in range(9)]\n", (1, false)),
        ("while True:\n    await get_issue()\n", (1, true)),
        ("for row in rows:\n    await get_issue()\n", (1, true)),
        ("for row in rows:\n    for n in range(3):\n        await get_issue()\n", (3, true)),
        ("async def f():\n    await get_issue()\nfor n in range(3):\n    await f()\n", (3, false)),
        ("async def f():\n    await get_issue()\n", (0, false)),
        ("async def f(n):\n    await get_issue()\n    await f(n - 1)\nawait f(3)\n", (2, true)),
        (
            "async def g():\n    await get_issue()\nasync def f():\n    await g()\n    await g()\nfor n in range(5):\n    await f()\n",
            (10, false),
        ),
        ("await asyncio.gather(*map(get_issue, [1, 2, 3]))\n", (3, false)),
        ("retry(get_issue)\n", (1, true)),
        ("one = lambda n: get_issue(n)\nawait asyncio.gather(one(1), one(2))\n", (2, false)),
        (
            "class A:\n    async def go(self):\n        await get_issue()\na = A()\nawait a.go()\n",
            (1, false),
        ),
        (
            "for n in range(10 ** 12):\n    for m in range(10 ** 12):\n        await get_issue()\n",
            (u64::MAX, false),
        ),
        ("get = get_issue\nawait get()\n", (1, false)),
        ("if x:\n    await get_issue()\nelse:\n    await get_issue()\n", (2, false)),
        ("for n in []:\n    await get_issue()\n", (0, false)),
    ] {
        assert_eq!(calls(&format!("{head}{body}"), "get_issue"), expected, "{body}");
    }
    assert_eq!(
        calls("await call_mcp_tool('forge', 'get_issue', {'number': 1})", "get_issue"),
        (1, false)
    );
}

#[test]
fn tools_are_told_with_their_risk_and_believed_only_where_trusted() {
    let review = review(
        "import servers.forge as f\nimport servers.wild as w\n\
         await f.get_issue()\nawait f.create_issue()\nawait f.delete_repo()\nawait f.search_web()\n\
         await w.read_all()\nawait w.do_it()\nawait w.wipe()\n",
    );
    let told: Vec<String> = review
        .tools
        .iter()
        .map(|one| format!("{}.{} {} {}", one.server, one.tool, one.risk.name(), one.trusted))
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    forge.create_issue write true
    forge.delete_repo destructive true
    forge.get_issue read-only true
    forge.search_web open-world true
    wild.do_it unannotated false
    wild.read_all unannotated false
    wild.wipe destructive false
    ");
    assert_eq!(review.risk, Risk::Medium);
    let rules: Vec<Rule> = review.violations.iter().map(|one| one.rule).collect();
    assert_eq!(rules, [Rule::DestructiveTool, Rule::OpenWorldTool, Rule::DestructiveTool]);
    assert_eq!(ToolRisk::Destructive.name(), "destructive");
}

#[test]
fn what_the_operator_says_of_a_tool_counts_before_what_its_server_says() {
    let says = |server: &str, tool: &str, read_only: bool| {
        let read_only_hint = Some(read_only);
        (
            (server.to_owned(), tool.to_owned()),
            Annotations { read_only_hint, ..Annotations::default() },
        )
    };
    let said = [
        says("wild", "wipe", true),
        says("wild", "do_it", false),
        says("forge", "get_issue", false),
    ];
    let said = Rules { said: said.into_iter().collect(), ..rules() };
    let review = review_with(
        "import servers.forge as f\nimport servers.wild as w\n\
         await f.get_issue()\nawait w.do_it()\nawait w.wipe()\nawait w.read_all()\n",
        &said,
    );
    let told: Vec<String> = review
        .tools
        .iter()
        .map(|one| format!("{}.{} {} {}", one.server, one.tool, one.risk.name(), one.trusted))
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    forge.get_issue write true
    wild.do_it write true
    wild.read_all unannotated false
    wild.wipe read-only true
    ");
    assert!(review.violations.is_empty(), "{:?}", review.violations);
}

#[test]
fn loops_of_unknown_length_weigh_by_what_is_called_in_them() {
    let of = |tool: &str| {
        let server = if tool == "do_it" { "wild" } else { "forge" };
        found(&format!(
            "from servers.{server} import {tool}\nfor row in rows:\n    await {tool}()\n"
        ))
    };
    assert_eq!(of("get_issue"), [""; 0]);
    assert_eq!(of("create_issue"), ["write-in-loop"]);
    assert_eq!(of("delete_repo"), ["destructive-in-loop"]);
    assert_eq!(of("do_it"), ["unannotated-in-loop"]);
    assert!(
        found("from servers.forge import get_issue\nfor n in range(101):\n    await get_issue()\n")
            .contains(&"too-many-calls")
    );
}

#[test]
fn tools_whose_names_only_running_would_tell_are_told_of() {
    assert_eq!(found("await call_mcp_tool('forge', name)"), ["any-tool"]);
    assert_eq!(found("from tidegate import call\nawait call(name)"), ["any-tool"]);
    let checker = Checker::new(catalog());
    let unlisted = ["later".to_owned()];
    let program = Program {
        source: "from servers.later import thing\nawait thing()",
        unlisted: &unlisted,
        ..Program::default()
    };
    let review = checker.review(&program);
    assert_eq!(review.violations[0].rule, Rule::UnknownTool);
    assert_eq!((review.estimates.calls, review.estimates.call_sites), (1, 1));
}

#[test]
fn requests_of_the_program_itself_are_told_by_their_method() {
    let review = review(
        "from tidegate import http_request\nfor n in range(3):\n    await http_get(f'https://h/{n}')\n\
         await http_request('post', 'https://h/')\nfor row in rows:\n    await http_request(row, 'https://h/')\n",
    );
    let told: Vec<String> = review
        .tools
        .iter()
        .map(|one| {
            format!(
                "{}.{} {} {} {}",
                one.server,
                one.tool,
                one.risk.name(),
                one.calls,
                one.unbounded
            )
        })
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    http.GET open-world 3 false
    http.POST write 1 false
    http.any write 1 true
    ");
    let rules: Vec<Rule> = review.violations.iter().map(|one| one.rule).collect();
    assert!(
        rules.contains(&Rule::WriteInLoop) && rules.contains(&Rule::OpenWorldTool),
        "{rules:?}"
    );
    assert_eq!(review.estimates.call_sites, 3);
}

#[test]
fn questions_to_models_and_messages_are_told_and_counted() {
    let told = |source: &str| {
        let review = review(source);
        let tools: Vec<String> = review
            .tools
            .iter()
            .map(|one| {
                let risk = one.risk.name();
                format!("{}.{} {risk} {} {}", one.server, one.tool, one.calls, one.unbounded)
            })
            .collect();
        let rules: Vec<Rule> = review.violations.iter().map(|one| one.rule).collect();
        (tools.join(", "), rules, review.estimates.call_sites)
    };
    let counted = "for n in range(3):\n    await ask_model(f'{n}?')\nawait post('done', 1)\n";
    let (tools, rules, sites) = told(counted);
    assert_snapshot!(tools, @"tidegate.ask_model open-world 3 false, tidegate.post write 1 false");
    assert_eq!((&rules[..], sites), (&[Rule::OpenWorldTool][..], 2));
    assert_eq!((review(counted).estimates.calls, review(counted).risk), (4, Risk::Low));
    // However it is called, and in a loop whose length only running would tell.
    for source in [
        "while True:\n    await ask_model('?')\n",
        "import tidegate as t\nfor row in rows:\n    await t.ask_model(row)\n",
        "from tidegate import ask_model as think\nfor row in rows:\n    await think(row)\n",
        "think = ask_model\nfor row in rows:\n    await think(row)\n",
        "import asyncio\nawait asyncio.gather(*map(ask_model, rows))\n",
    ] {
        let (tools, rules, _) = told(source);
        assert_eq!(tools, "tidegate.ask_model open-world 1 true", "{source}");
        assert_eq!(rules, [Rule::OpenWorldTool, Rule::ModelInLoop], "{source}");
    }
    let many = found("for n in range(101):\n    await ask_model(f'{n}?')\n");
    assert!(many.contains(&"too-many-calls"), "{many:?}");
    for source in [
        "def ask_model(text):\n    return text\nask_model('?')\n",
        "from mine import ask_model\nask_model('?')\n",
        "requests.post('x')\n",
        "think = ask_model\n",
    ] {
        assert_eq!(told(source), (String::new(), Vec::new(), 0), "{source}");
    }
    let (tools, ..) = told("from servers.forge import get_issue as post\nawait post(number=1)\n");
    assert_eq!(tools, "forge.get_issue read-only 1 false");
}

#[test]
fn what_cannot_be_read_is_of_high_risk() {
    let long = "x = 1\n".repeat(100_000);
    let deep = "(".repeat(20_000);
    for source in [long.as_str(), deep.as_str(), "this is no Python"] {
        let review = review(source);
        assert_eq!((review.is_safe, review.risk), (false, Risk::High));
        assert_eq!(review.violations[0].rule, Rule::Unreviewed);
    }
}

#[test]
fn of_many_findings_the_weightiest_are_told_and_the_others_counted() {
    let source = format!("{}eval('1')\n", "getattr(a, b)\n".repeat(500));
    let review = review(&source);
    assert_eq!((review.violations.len(), review.more), (50, 451));
    assert!(review.violations.iter().any(|one| one.rule == Rule::DynamicExecution));
    assert!(review.violations.is_sorted_by_key(|one| one.line));
}

#[test]
fn the_strictest_action_that_a_finding_asks_for_decides() {
    use Action::{Allow, Ask, Deny};
    let actions =
        |low, medium, high, imports| Actions { level: "hardened", low, medium, high, imports };
    let found = review("import os\nos.system('x')\neval('1')\nexec('2')\n");
    assert_eq!(found.verdict(&actions(Deny, Allow, Allow, Deny)), Verdict::Allow);
    assert_eq!(found.verdict(&actions(Allow, Ask, Allow, Deny)).action(), Ask);
    let Verdict::Deny(why) = found.verdict(&actions(Allow, Ask, Deny, Deny)) else {
        panic!("it is denied")
    };
    assert_snapshot!(why, @r#"line 3 uses `eval`, which runs text as code (rule `dynamic-execution`, high risk; `[review.hardened] high = "deny"`); 1 other finding says the same"#);
    let strict = Rules { imports: Some(Vec::new()), ..rules() };
    let imports = review_with("import os\n", &strict);
    assert_eq!(imports.verdict(&actions(Deny, Deny, Deny, Allow)), Verdict::Allow);
    assert_eq!(imports.verdict(&actions(Allow, Allow, Allow, Deny)).action(), Deny);
}

#[test]
fn every_rule_is_in_the_manual_with_its_weight() {
    let page = include_str!("../../../docs/src/review.md");
    for rule in Rule::ALL {
        let row = format!("| `{}` | {} |", rule.name(), rule.severity());
        assert!(page.contains(&row), "docs/src/review.md lacks a row that begins {row}");
    }
    let rows = page.lines().filter(|line| {
        ["| low |", "| medium |", "| high |"].iter().any(|risk| line.contains(risk))
            && line.starts_with("| `")
    });
    assert_eq!(rows.count(), Rule::ALL.len());
}

#[test]
fn a_hostile_program_is_reviewed_as_any_other() {
    let checker = Checker::new(catalog()).with_patience(Duration::from_secs(300));
    let rules = rules();
    let review = |source: &str| {
        checker.review(&Program { source, rules: Some(&rules), ..Program::default() })
    };
    // Each function calls the next one twice, so that the last is called more often than can be told.
    let chain: String = (0..3_000)
        .map(|n| format!("def f{n}():\n    f{0}(); f{0}()\n", n + 1))
        .collect::<Vec<_>>()
        .concat();
    let last = "from servers.forge import delete_repo\ndef f3000(): delete_repo()\nf0()\n";
    let reviewed = review(&format!("{chain}{last}"));
    assert_eq!((reviewed.estimates.functions, reviewed.tools[0].calls), (3_001, u64::MAX));
    // In a ring, nobody can say how often.
    let ring: String = (0..500)
        .map(|n| format!("def g{n}():\n    delete_repo()\n    g{}()\n", (n + 1) % 500))
        .collect::<Vec<_>>()
        .concat();
    let reviewed = review(&format!("from servers.forge import delete_repo\n{ring}g0()\n"));
    assert!(reviewed.tools[0].unbounded, "{:?}", reviewed.tools);
    let loops = "[".repeat(90) + "x" + &" for a in (1, 2)]".repeat(90);
    assert!(review(&loops).violations.is_empty());
    let names: String =
        (0..8_000).map(|n| format!("a{n} = a{}\n", n + 1)).collect::<Vec<_>>().concat();
    let reviewed = review(&format!("{names}for x in a0: delete_repo()\n"));
    assert_eq!(reviewed.estimates.lines, 8_001, "{:?}", reviewed.violations);
}
