//! Programs that go on where others of their session stopped.

mod fixture;
mod programs;

use std::io::Write as _;
use std::time::Duration;

use check::{Checker, Given, Left, Program, Report};
use programs::Good;
use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::Ranged as _;

fn checker() -> Checker {
    Checker::new(fixture::catalog()).with_patience(Duration::from_secs(300))
}

/// What is found in the last of some programs that ran one after another.
fn last(programs: &[&str]) -> Report {
    let checker = checker();
    let (mut left, mut report) = (Left::nothing(), Report::default());
    for source in programs {
        let names = Given::After(&[], &left);
        report = checker.check(&Program { source, names, ..Program::default() });
        left = report.left.clone();
    }
    report
}

/// The codes of what blocks the last of some programs.
fn blocked(programs: &[&str]) -> Vec<&'static str> {
    last(programs).blocking().map(|finding| finding.code.name()).collect()
}

const NONE: &[&str] = &[];

#[test]
fn a_later_program_is_checked_as_a_fresh_one_is() {
    let first = "from servers.forge import get_issue, list_issues\nimport numpy as np";
    let finds = |source| blocked(&[first, "x = 1", source]);
    assert_eq!(finds("await get_issue(owner='a', repo='b', number='12')"), ["wrong-type"]);
    assert_eq!(finds("await lst_issues(owner='a')"), ["undefined-name"]);
    assert_eq!(finds("x = [1]\nx.push(3)"), ["certain-crash"]);
    assert_eq!(
        finds("i = await get_issue(owner='a', repo='b', number=1)\nprint(i['titel'])"),
        ["unknown-field"]
    );
    assert_eq!(finds("np.arrange(3)"), ["certain-crash"]);
    assert_eq!(finds("print(x + 1, await get_issue('a', 'b', 3), np.arange(3))"), NONE);
}

#[test]
fn the_name_that_was_meant_may_be_from_before() {
    let report = last(&["from servers.forge import list_issues", "await lst_issues('a', 'b')"]);
    assert_eq!(report.findings[0].nearest.as_deref(), Some("list_issues"));
    assert!(!report.for_model().contains("only if `session`"), "{}", report.for_model());
}

#[test]
fn lines_and_columns_are_those_of_the_later_program() {
    let report = last(&["from servers.forge import get_issue", "1\nawait get_issue(1, 'b', 2)"]);
    let finding = &report.findings[0];
    assert_eq!((finding.line, finding.column), (2, 17));
}

#[test]
fn a_name_that_was_bound_to_something_else_is_that() {
    let import = "from servers.forge import get_issue";
    for other in
        ["get_issue = print", "def get_issue(a): pass", "del get_issue", "if 0:\n    get_issue = 3"]
    {
        assert_eq!(blocked(&[import, other, "await get_issue(owner='a')"]), NONE, "{other}");
        assert_eq!(blocked(&[other, import, "await get_issue(owner='a')"]), NONE, "{other}");
    }
    let given = ["get_issue".to_owned()];
    let left = last(&[import]).left;
    let names = Given::After(&given, &left);
    let report = checker().check(&Program { source: "get_issue(1)", names, ..Program::default() });
    assert!(!report.blocks(), "{}", report.for_model());
}

#[test]
fn two_imports_of_one_name_may_be_either() {
    let two = ["from servers.forge import get_issue", "from json import loads as get_issue"];
    assert_eq!(blocked(&[two[0], two[1], "get_issue('1')"]), NONE);
    let now = "if x:\n    from json import loads as get_issue\nget_issue('1')";
    assert_eq!(blocked(&[two[0], "x = 1", now]), NONE);
}

#[test]
fn what_may_have_been_done_to_names_is_not_known() {
    let changes = [
        "exec('x = 1')",
        "globals()['len'] = 3",
        "from elsewhere import *",
        "import builtins\nbuiltins.len = 3",
        "import json\njson.loads = None",
        "import json as j\nj.loads = None",
        "import pandas as pd\npd.DataFrame.push = 3",
        "import importlib\nm = importlib.import_module('json')\nm.loads = 3",
        "import pandas as pd\n@pd.api.extensions.register_dataframe_accessor('geo')\nclass Geo:\n    pass",
        "with open('json.py', 'w') as f:\n    f.write('x = 1')",
        "import servers.forge\nservers.forge.get_issue = print",
    ];
    for change in changes {
        for later in ["x = [1]\nx.push(3)", "undefined", "import json\njson.lods('1')"] {
            assert_eq!(blocked(&[change, later]), NONE, "{change}\n{later}");
        }
    }
    let uncertain = last(&["exec('x = 1')", "import json"]).left;
    assert!(!uncertain.is_known());
}

#[test]
fn functions_of_earlier_programs_may_do_anything_to_what_they_use() {
    for helper in [
        "def helper():\n    rows.append({'a': 1})",
        "def helper():\n    global rows\n    rows = {}",
        "helper = lambda: rows.append(1)",
        "class A:\n    def __call__(self):\n        rows.append(1)\nhelper = A()",
    ] {
        assert_eq!(blocked(&[helper, "rows = []\nhelper()\nprint(rows[0])"]), NONE, "{helper}");
    }
    // One that is not there any more does nothing.
    let again = "def helper(rows):\n    return rows\nrows = [1]\nhelper(rows)\nrows.push(2)";
    assert_eq!(blocked(&["def helper():\n    rows.append(1)", again]), ["certain-crash"]);
}

#[test]
fn what_comes_from_before_may_catch_wrap_and_be_anything() {
    let first = "def cm(): pass\ndef wrap(f): return f\nclass Base: pass\ntotal = 0\nfound = None";
    for later in [
        "with cm():\n    x = [1]\n    x.push(2)",
        "@wrap\ndef f():\n    x = [1]\n    x.push(2)\nf()",
        "class A(Base):\n    pass\nA().anything()\nA(1, 2)",
        "total += 1\ntotal.push(2)",
        "for i in found:\n    total = [1]\ntotal.push(2)",
        "if found:\n    total = 'a'\nprint(total + 1)",
        "def main():\n    return total\nprint(main())\ntotal = 1",
        "def main():\n    return total.push(3)\nif found:\n    total = [1]\nmain()",
        "print(total)\ntotal = 3",
        "total = wrap(total)\ntotal.push(1)",
        "found = [f for f in found]\nprint(found[0]['a'])",
    ] {
        assert_eq!(blocked(&[first, later]), NONE, "{later}");
    }
}

#[test]
fn builtins_that_were_given_another_meaning_have_it() {
    for first in ["len = 3", "from math import pow", "for id in [1]: pass"] {
        let later = "x = pow(1, 2, 3, 4) if 0 else len('a', 'b')\nid(1, 2)\n'a' + len";
        assert_eq!(blocked(&[first, "y = 1", later]), NONE, "{first}");
    }
    assert_eq!(blocked(&["len = 3", "x = [1]\nx.push(3)"]), ["certain-crash"]);
}

#[test]
fn modules_may_have_been_brought() {
    assert_eq!(blocked(&["x = 1", "import mine"]), NONE);
}

#[test]
fn a_session_with_many_names_is_not_known() {
    let many: Vec<String> = (0..1200).map(|at| format!("name_{at} = {at}")).collect();
    let many = many.join("\n");
    assert!(!last(&[&many]).left.is_known());
}

#[test]
fn all_tools_of_a_server_may_be_imported_at_once() {
    let first = "from servers.forge import *";
    assert_eq!(blocked(&[first, "await get_issue('a', 'b', number='7')"]), ["wrong-type"]);
    assert_eq!(blocked(&["get_issue = 3", first, "await get_issue(number='7')"]), NONE);
}

/// The program in two parts, cut at one of its statements.
fn cuts(source: &str) -> Vec<(&str, &str)> {
    let parsed = parse_unchecked_source(source, PySourceType::Python);
    if !parsed.has_valid_syntax() {
        return Vec::new();
    }
    let starts: Vec<usize> =
        parsed.suite().iter().skip(1).map(|one| usize::from(one.range().start())).collect();
    let is_future = source.contains("__future__");
    // A statement after a semicolon stays with its line.
    let is_line = |at: &&usize| source[..**at].ends_with('\n') && !is_future;
    starts.iter().filter(is_line).map(|at| source.split_at(*at)).collect()
}

#[test]
fn no_half_of_a_program_that_is_right_is_kept_from_running() {
    let (mut halves, mut wrong) = (0, 0);
    let mut last: Option<(_, Checker)> = None;
    for good in programs::good().iter().filter(|one| !one.may_fail && !one.in_session) {
        let Good { source, catalog, names, unlisted, .. } = good;
        let reused = last.take().filter(|(known, _)| std::sync::Arc::ptr_eq(known, catalog));
        let (known, checker) = reused.unwrap_or_else(|| {
            let made = Checker::new(catalog.clone()).with_patience(Duration::from_secs(300));
            (catalog.clone(), made)
        });
        let cuts = cuts(source);
        let step = (cuts.len() / 3).max(1);
        for (first, second) in cuts.iter().step_by(step) {
            let of = |source, names| {
                checker.check(&Program { source, names, unlisted, ..Program::default() })
            };
            let left = of(first, Given::Names(names)).left;
            let report = of(second, Given::After(names, &left));
            halves += 1;
            if report.blocks() {
                wrong += 1;
                let told = report.for_model();
                let _ = writeln!(std::io::stdout(), "blocked {}:\n{second}\n{told}", good.name);
            }
        }
        last = Some((known, checker));
    }
    let _ = writeln!(std::io::stdout(), "second halves that were blocked: {wrong} of {halves}");
    assert!(halves > 500, "{halves} halves");
    assert_eq!(wrong, 0);
}

#[test]
fn planted_mistakes_are_caught_in_a_later_program_too() {
    let checker = checker();
    let (mut all, mut caught) = (0, 0);
    for planted in programs::planted().iter().filter(|one| !one.advice) {
        let line = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or_default();
        // Its imports were a program of their own.
        let has_no_import = |(_, second): &&(&str, &str)| {
            !second.starts_with("import ") && !second.starts_with("from ")
        };
        let cuts = cuts(&planted.source);
        let Some((first, second)) = cuts.iter().find(has_no_import) else { continue };
        let is_import = |line: &str| {
            ["import ", "from ", "#"].iter().any(|word| line.starts_with(word)) || line.is_empty()
        };
        if line(first) >= planted.line || !first.lines().all(is_import) {
            continue;
        }
        let of = |source, names| checker.check(&Program { source, names, ..Program::default() });
        let left = of(first, Given::default()).left;
        let report = of(second, Given::After(&[], &left));
        let wanted = planted.line - line(first);
        let is_it = |finding: &check::Finding| {
            finding.line == wanted && finding.code.name() == planted.code
        };
        all += 1;
        if report.blocking().any(is_it) {
            caught += 1;
        } else {
            let _ = writeln!(std::io::stdout(), "missed in a second program: {}", planted.name);
        }
    }
    let _ = writeln!(
        std::io::stdout(),
        "planted mistakes caught in a second program: {caught} of {all}"
    );
    assert!(all >= 100, "{all}");
    assert!(caught * 10 >= all * 9, "{caught} of {all}");
}

#[test]
fn what_was_left_can_be_written_down_and_read_again() {
    let left = last(&["import json as j\nfrom servers.forge import get_issue", "x = 1"]).left;
    let stored = left.to_stored().expect("it is known");
    assert_eq!(Left::from_stored(&stored), left);
    let names = Given::After(&[], &left);
    let program = Program { source: "j.dupms(x)", names, ..Program::default() };
    assert!(checker().check(&program).blocks());
    // Nobody knows what is left of what nobody knows, and neither what another version means.
    assert_eq!(Left::default().to_stored(), None);
    let newer = stored.replacen("\"version\":1", "\"version\":2", 1);
    let further = stored.replacen("\"used\":[]", "\"used\":[],\"more\":1", 1);
    let many: Vec<String> = (0..2_000).map(|at| format!("\"x{at}\"")).collect();
    let large = stored.replacen("\"others\":[", &format!("\"others\":[{},", many.join(",")), 1);
    for text in [newer, further, large, stored[1..].to_owned(), String::new()] {
        assert_ne!(text, stored);
        assert!(!Left::from_stored(&text).is_known(), "{text:.80}");
    }
}
