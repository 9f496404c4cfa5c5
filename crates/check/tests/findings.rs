//! What is said about mistakes, and what depends on where a program runs.

mod fixture;

use std::sync::Arc;
use std::time::Duration;

use catalog::{Catalog, Listing};
use check::{Checker, Given, Program, Report};
use insta::assert_snapshot;
use serde_json::json;

/// A checker that a busy machine does not make give up.
fn patient(catalog: Arc<Catalog>) -> Checker {
    Checker::new(catalog).with_patience(Duration::from_secs(300))
}

fn check(source: &str) -> Report {
    patient(fixture::catalog()).check(&Program { source, ..Program::default() })
}

#[test]
fn everything_is_told_at_once_with_what_is_valid_there() {
    let report = check(
        "from servers.forge import get_issue, create_isue\n\n\
         issue = await get_issue(owner='acme', repo='rocket', number='7')\n\
         print(issue['titel'], lenght(issue))\n",
    );
    assert_snapshot!(report.for_model(), @r#"
    the program was not run: 4 mistakes were found before anything happened

    line 1, column 38: unknown-tool: servers.forge has no tool 'create_isue'
        from servers.forge import get_issue, create_isue
                                             ^^^^^^^^^^^
        did you mean: create_issue
        valid: create_issue, get_repository, list_issues, get_issue, add_comment, search_code, list_commits, merge_request, get_user
        called so:
          class CreateIssueResult(TypedDict):
              number: int
              url: str
          async def create_issue(owner: str, repo: str, title: str, *, body: str | None = None, labels: list[str] | None = None, assignees: list[str] | None = None, milestone: int | None = UNSET) -> CreateIssueResult

    line 3, column 61: wrong-type: get_issue(): "number" should be int, not "7"
        issue = await get_issue(owner='acme', repo='rocket', number='7')
                                                                    ^^^
        valid: owner: str (required), repo: str (required), number: int (required)

    line 4, column 13: unknown-field: the result has no field "titel"
        print(issue['titel'], lenght(issue))
                    ^^^^^^^
        did you mean: "title"
        valid: "number": int, "title": str, "state": Literal["open", "closed"], "author": {login, name}, "labels": list[str], "comments": int, "created_at": str, "body": str | None

    line 4, column 23: undefined-name: the name 'lenght' is not defined
        print(issue['titel'], lenght(issue))
                              ^^^^^^
        did you mean: len

    the tools it names:
        class GetIssueResultAuthor(TypedDict):
            login: str
            name: NotRequired[str | None]
        class GetIssueResult(TypedDict):
            number: int
            title: str
            state: Literal["open", "closed"]
            author: GetIssueResultAuthor
            labels: list[str]
            comments: int
            created_at: str
            body: NotRequired[str | None]
        async def get_issue(owner: str, repo: str, number: int) -> GetIssueResult
        servers.forge has also: get_repository, list_issues, create_issue, add_comment, search_code, list_commits, merge_request, get_user
    "#);
}

#[test]
fn lines_and_columns_are_those_of_the_text_that_was_sent() {
    let report = check("Here it is:\n```python\n    x = 'ü' + nothing\n```\n");
    let finding = &report.findings[0];
    assert_eq!(
        (finding.line, finding.column, finding.source.as_str()),
        (3, 15, "    x = 'ü' + nothing")
    );
}

#[test]
fn in_a_session_names_may_come_from_before_and_calls_are_checked_all_the_same() {
    let checker = patient(fixture::catalog());
    let of = |source| {
        let report =
            checker.check(&Program { source, names: Given::Unknown, ..Program::default() });
        report.findings.iter().map(|finding| finding.code.name()).collect::<Vec<_>>()
    };
    assert_eq!(of("print(from_before)"), Vec::<&str>::new());
    assert_eq!(
        of("from servers.forge import get_user\nawait get_user(from_before, nick='x')"),
        ["unknown-argument"]
    );
}

#[test]
fn names_that_are_given_are_there() {
    let checker = patient(fixture::catalog());
    let names = ["rows".to_owned()];
    let given = Program { source: "len(rows)", names: Given::Names(&names), ..Program::default() };
    assert!(!checker.check(&given).blocks());
    assert!(checker.check(&Program { source: "len(rows)", ..Program::default() }).blocks());
}

#[test]
fn a_server_that_has_not_said_what_it_offers_is_left_alone() {
    let checker = patient(fixture::catalog());
    let source = "from servers.quiet import anything\nimport quiet\nawait anything(x=1)\nawait quiet.other(2)\nawait servers.quiet.third()\nawait call_mcp_tool('quiet', 'fourth', {})\nawait call_mcp_tool('Quiet', 'fifth', {})\n";
    let unlisted = ["quiet".to_owned()];
    let report = checker.check(&Program { source, unlisted: &unlisted, ..Program::default() });
    assert!(!report.blocks(), "{}", report.for_model());
    assert!(checker.check(&Program { source, ..Program::default() }).blocks());
}

#[test]
fn a_catalog_that_changes_is_noticed() {
    let catalog = |field: &str| {
        let output = json!({"type": "object", "properties": {field: {"type": "integer"}}, "additionalProperties": false});
        let tools =
            json!([{"name": "get", "inputSchema": {"type": "object"}, "outputSchema": output}]);
        let listing: Listing =
            serde_json::from_value(json!({"server": "s", "tools": tools})).unwrap();
        Arc::new(Catalog::new(vec![Arc::new(listing)]))
    };
    let program = Program {
        source: "from servers.s import get\nprint((await get())['color'])",
        ..Program::default()
    };
    let checker = patient(catalog("colour"));
    assert!(checker.check(&program).blocks());
    checker.refresh(catalog("color"));
    assert!(!checker.check(&program).blocks(), "{}", checker.check(&program).for_model());
}

/// A checker of programs that can call these tools.
fn with_tools(servers: &[(&str, serde_json::Value)]) -> Checker {
    let listings = servers.iter().map(|(server, tools)| {
        let listing = json!({"server": server, "tools": tools});
        Arc::new(serde_json::from_value::<Listing>(listing).expect("a listing"))
    });
    patient(Arc::new(Catalog::new(listings.collect())))
}

#[test]
fn a_tool_that_was_not_imported_is_named_with_every_server_that_has_it() {
    let tools = json!([{"name": "get_issue", "inputSchema": {"type": "object"}}]);
    let source = "await get_issue(id=1)";
    let one = with_tools(&[("hub", tools.clone())]);
    let report = one.check(&Program { source, ..Program::default() });
    assert_snapshot!(report.for_model(), @"
    the program was not run: 1 mistake was found before anything happened

    line 1, column 7: undefined-name: the name 'get_issue' is not defined; add `from servers.hub import get_issue`
        await get_issue(id=1)
              ^^^^^^^^^
        did you mean: from servers.hub import get_issue
    ");
    let two = with_tools(&[("hub", tools.clone()), ("lab", tools)]);
    let report = two.check(&Program { source, ..Program::default() });
    assert_snapshot!(report.for_model(), @"
    the program was not run: 1 mistake was found before anything happened

    line 1, column 7: undefined-name: the name 'get_issue' is not defined; add `from servers.hub import get_issue` or `from servers.lab import get_issue`
        await get_issue(id=1)
              ^^^^^^^^^
        valid: from servers.hub import get_issue, from servers.lab import get_issue
    ");
}

#[test]
fn a_call_by_name_is_told_everything_it_lacks() {
    let report = check("await call_mcp_tool('forge', 'get_issue', {'numbr': 7})");
    assert_snapshot!(report.for_model(), @r#"
    the program was not run: 2 mistakes were found before anything happened

    line 1, column 43: missing-argument: get_issue() needs 'owner' and 'repo', which are missing
        await call_mcp_tool('forge', 'get_issue', {'numbr': 7})
                                                  ^^^^^^^^^^^^
        valid: owner: str (required), repo: str (required), number: int (required)

    line 1, column 53: unknown-argument: get_issue(): "numbr" is not a parameter
        await call_mcp_tool('forge', 'get_issue', {'numbr': 7})
                                                            ^
        did you mean: number
        valid: owner: str (required), repo: str (required), number: int (required)
    "#);
    let names: Vec<String> = (0..8).map(|number| format!("p{number}")).collect();
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
    let input = json!({"type": "object", "required": names, "properties": properties});
    let checker = with_tools(&[("s", json!([{"name": "f", "inputSchema": input}]))]);
    let report =
        checker.check(&Program { source: "await call_mcp_tool('s', 'f')", ..Program::default() });
    for name in names {
        assert!(report.findings[0].message.contains(&format!("'{name}'")), "{report:?}");
    }
}

#[test]
fn a_tool_that_says_nothing_of_its_parameters_takes_any() {
    let schemas =
        [json!({"type": "object"}), json!(null), json!("nonsense"), json!({"type": "file"})];
    let source = "from servers.s import f\nawait f(anything=1, else_='x')\nawait f({'a': 1})";
    for schema in schemas {
        let checker = with_tools(&[("s", json!([{"name": "f", "inputSchema": schema}]))]);
        let report = checker.check(&Program { source, ..Program::default() });
        assert!(report.findings.is_empty(), "{schema}: {report:?}");
    }
    let none = json!({"type": "object", "properties": {}});
    let checker = with_tools(&[("s", json!([{"name": "f", "inputSchema": none}]))]);
    assert!(checker.check(&Program { source, ..Program::default() }).blocks());
}

#[test]
fn a_mistake_whose_exception_is_caught_is_only_advice() {
    let inside = |handler: &str| {
        check(&format!(
            "from servers.forge import get_user\ntry:\n    await get_user(nick='x')\nexcept {handler}:\n    pass\n"
        ))
    };
    assert!(!inside("ToolError").blocks());
    assert!(!inside("Exception").blocks());
    assert!(inside("ValueError").blocks());
}

#[test]
fn findings_are_objects_for_editors() {
    let report = check("print(nothing)");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["findings"][0],
        json!({"severity": "blocks", "code": "undefined-name", "line": 1, "column": 7, "end_line": 1, "end_column": 14,
            "source": "print(nothing)", "message": "the name 'nothing' is not defined; what an earlier program left is there only if `session` names its session"})
    );
}

#[test]
fn a_tool_called_as_clients_call_it_comes_with_its_import() {
    for name in ["mcp__forge__get_issue", "forge__get_issue"] {
        let report = check(&format!("await {name}(owner='a', repo='b', number=7)"));
        let [finding] = &report.findings[..] else { panic!("{}", report.for_model()) };
        assert!(report.blocks());
        assert_eq!(finding.nearest.as_deref(), Some("from servers.forge import get_issue"));
        assert!(finding.message.contains("then `await get_issue(...)`"), "{}", finding.message);
    }
    let unknown = check("await mcp__forge__get_isue(number=7)");
    assert!(!unknown.findings[0].message.contains("import"), "{}", unknown.for_model());
}

#[test]
fn what_a_module_or_a_value_does_not_have_comes_with_what_it_has() {
    let found = |source: &str| {
        let report = check(source);
        let [finding] = &report.findings[..] else { panic!("{source}: {}", report.for_model()) };
        assert!(report.blocks(), "{source}");
        assert!(report.usage.is_none(), "tools are no help here: {}", report.for_model());
        (finding.nearest.clone().unwrap_or_default(), finding.valid.clone())
    };
    for (source, near, other) in [
        ("from collections import defaultDict", "defaultdict", "Counter"),
        ("import datetime\nprint(datetime.Datetime)", "datetime", "timedelta"),
        ("import itertools\nprint(list(itertools.cycl('ab')))", "cycle", "chain"),
        ("from asyncio import gathr", "gather", "sleep"),
        ("from os.path import joins", "join", "basename"),
        ("import statistics\nprint(statistics.meen([1]))", "mean", "median"),
        ("print('a,b'.spilt(','))", "split", "strip"),
        ("import re\nprint(re.compile('a').finditter('b'))", "finditer", "sub"),
        ("from datetime import date\nprint(date.today().isofromat())", "isoformat", "weekday"),
        ("print({1, 2}.unoin({3}))", "union", "add"),
        ("print({'a': 1}.itmes())", "items", "values"),
    ] {
        let (nearest, valid) = found(source);
        assert_eq!(nearest, near, "{source}");
        assert!(valid.iter().any(|one| one == other), "{source}: {valid:?}");
        assert!(valid.iter().all(|one| !one.starts_with('_')), "{source}: {valid:?}");
    }
}

#[test]
fn what_a_program_counts_and_groups_in_is_none_of_the_results() {
    for made in [
        "counts = {}\nfor one in issues:\n    counts[one['state']] = counts.get(one['state'], 0) + 1\ncounts['x'] += 1\n",
        "from collections import defaultdict\nsums = defaultdict(int)\nfor one in issues:\n    sums[one['state']] += one['comments']\n",
        "groups = {}\nfor one in issues:\n    groups.setdefault(one['state'], []).append(one['title'])\n",
        "from collections import defaultdict\ngroups = defaultdict(list)\nfor one in issues:\n    groups[one['state']].append(one)\n",
    ] {
        let head = "from servers.forge import list_issues\nissues = (await list_issues('a', 'b'))['issues']\n";
        let right = format!("{head}{made}print(issues[0]['title'])");
        assert!(!check(&right).blocks(), "{}", check(&right).for_model());
        let wrong = format!("{head}{made}print(issues[0]['titel'])");
        assert!(check(&wrong).blocks(), "{wrong}");
    }
    // Here it is one.
    let mixed = "from servers.forge import list_issues\nissues = (await list_issues('a', 'b'))['issues']\nkept = {}\nfor one in issues:\n    kept[one['title']] = one\nkept['x'].update(extra())\nprint(issues[0]['titel'])\n";
    let report = checker_of_any(mixed);
    assert!(!report.blocks(), "{}", report.for_model());
}

fn checker_of_any(source: &str) -> check::Report {
    let checker = patient(fixture::catalog());
    checker.check(&Program { source, names: Given::Unknown, ..Program::default() })
}

#[test]
fn a_tool_that_hangs_on_a_name_of_nothing_is_imported_from_its_server() {
    for source in [
        "await forge.get_issue(owner='a')",
        "await mcp.tools.get_issue(owner='a')",
        "await tools.get_issue(owner='a')",
        "from tools import get_issue",
        "from functions import get_issue as issue",
    ] {
        let told = check(source).for_model();
        assert!(
            told.contains("did you mean: from servers.forge import get_issue"),
            "{source}: {told}"
        );
        assert!(told.contains("`from servers.forge import get_issue`"), "{source}: {told}");
    }
    // What the program calls almost so is nearer.
    let told = check("issues = {}\nisues.get_issue()").for_model();
    assert!(told.contains("did you mean: issues"), "{told}");
    let told = check("await mcp.call_tool('get_issue', {})").for_model();
    assert!(
        told.contains("from servers.NAME import TOOL") && !told.contains("did you mean"),
        "{told}"
    );
}

#[test]
fn more_mistakes_than_are_listed_are_counted() {
    let source = "from servers.forge import get_user\n".to_owned()
        + &"await get_user(nick='x')\n".repeat(40);
    let report = check(&source);
    assert_eq!(report.findings.len(), 30);
    let found = report.findings.len() + report.more;
    assert!(report.more >= 10 && report.more_blocking == report.more);
    let told = report.for_model();
    assert!(told.contains(&format!("{found} mistakes were found")), "{told}");
    assert!(told.contains(&format!("and {} more, which are told once", report.more)), "{told}");
    assert_eq!(check("await nothing()").more, 0);
}

/// What is said about the last line of a program, and whether it blocks.
fn of_last(lines: &str) -> Vec<(bool, &'static str)> {
    let report = check(lines);
    let last = u32::try_from(lines.lines().count()).unwrap_or(u32::MAX);
    let is_last = |finding: &&check::Finding| finding.line == last;
    let told = |finding: &check::Finding| {
        (finding.severity == check::Severity::Blocks, finding.code.name())
    };
    report.findings.iter().filter(is_last).map(told).collect()
}

#[test]
fn an_own_async_function_that_is_not_awaited_blocks_where_its_coroutine_is_refused() {
    let before = "import json\nimport pandas as pd\nasync def f(i=0):\n    return [3]\ntotal = 0\n";
    for line in [
        "sorted(f())",
        "max(f(), 3)",
        "json.dumps(f())",
        "json.dumps(f(), indent=2)",
        "enumerate(f())",
        "', '.join(f())",
        "x = {**f()}",
        "range(f())",
        "int(f())",
        "float(f())",
        "abs(f())",
        "list(f())",
        "dict(f())",
        "zip([1], f())",
        "list(map(str, f()))",
        "pd.DataFrame(f())",
        "sum([f(i) for i in range(3)])",
        "sum([f(), f()])",
        "total += f()",
        "print(f'{f():d}')",
    ] {
        assert_eq!(of_last(&format!("{before}{line}")), [(true, "missing-await")], "{line}");
    }
    for line in ["if f(): print(1)", "print(f())", "str(f())", "print(f'{f()}')"] {
        assert_eq!(of_last(&format!("{before}{line}")), [(false, "missing-await")], "{line}");
    }
}

#[test]
fn a_coroutine_that_python_takes_is_left_alone() {
    let before = "import asyncio, json\nasync def f(i=0):\n    return [3]\nasync def g():\n    yield 1\n\
        def wrap(f):\n    return lambda: [1]\n@wrap\nasync def h():\n    pass\nclass T:\n    def __add__(self, o):\n        return self\nt = T()\n";
    for line in [
        "await asyncio.gather(*[f(i) for i in range(3)])",
        "set([f()])",
        "list([f()])",
        "max(f(), f(), key=id)",
        "json.dumps(f(), default=str)",
        "sum([f(i) for i in []])",
        "sorted(h())",
        "t += f()",
        "f() == 3",
        "asyncio.run(f())",
        "x = [f(1)]",
        "try: sorted(f())\nexcept TypeError: pass",
        "iter(f, 3)",
        "{'a': f()}",
        "map(f, [1])",
        "callable(f)",
        "f.__name__[0]",
    ] {
        let report = check(&format!("{before}{line}"));
        assert!(!report.blocks(), "{line}\n{}", report.for_model());
    }
}

#[test]
fn a_function_that_nobody_calls_is_to_be_called() {
    let before = "from servers.forge import get_user\nasync def f():\n    return 3\ndef g():\n    return [3]\n";
    for (line, call) in [
        ("await get_user", "await get_user(...)"),
        ("len(get_user)", "await get_user(...)"),
        ("await f", "await f(...)"),
        ("len(f)", "await f(...)"),
        ("for x in g: pass", "a function cannot be iterated over"),
    ] {
        let report = check(&format!("{before}{line}"));
        assert!(report.for_model().contains(call), "{line}\n{}", report.for_model());
    }
    let right = check(&format!("{before}print(g()[0], list(map(str, g())))\nx = f\nawait x()"));
    assert!(!right.blocks(), "{}", right.for_model());
}
