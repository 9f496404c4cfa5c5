//! Programs that try to break the checker. Each must come back, and none may be blocked for it.

use std::sync::Arc;
use std::time::Duration;

use catalog::Catalog;
use check::{Checker, Program, Report, Unchecked};

/// A checker that a busy machine does not make give up.
fn patient(catalog: Arc<Catalog>) -> Checker {
    Checker::new(catalog).with_patience(Duration::from_secs(300))
}

fn checked(source: &str) -> Report {
    patient(Arc::new(Catalog::default())).check(&Program { source, ..Program::default() })
}

#[test]
fn what_is_too_long_or_too_deep_is_not_looked_at() {
    let long = "x = 1\n".repeat(100_000);
    assert_eq!(checked(&long).unchecked, Some(Unchecked::TooLong));
    for part in ["(", "[", "-", "not ", "a.b(", "lambda: ", "f'{", "x if y else "] {
        let report = checked(&part.repeat(20_000));
        assert_eq!(
            (report.unchecked, report.findings.len()),
            (Some(Unchecked::TooDeep), 0),
            "{part}"
        );
    }
}

#[test]
fn what_is_just_deep_enough_is_checked_on_a_stack_that_lasts() {
    let mut blocks: Vec<String> =
        (0..95).map(|depth| format!("{}if True:", " ".repeat(depth))).collect();
    blocks.push(" ".repeat(95) + "pass\n");
    let programs = [
        format!("x = {}1{}\n", "(".repeat(190), ")".repeat(190)),
        format!("x = {}1{}\n", "[".repeat(190), "]".repeat(190)),
        format!("x = {}1\n", "1 + ".repeat(390)),
        format!("x = {}True\n", "not ".repeat(390)),
        format!("a = 'x'{}\n", ".strip()".repeat(190)),
        format!("f = {}1\n", "lambda: ".repeat(190)),
        blocks.join("\n"),
    ];
    for program in programs {
        let report = checked(&program);
        assert_eq!(report.unchecked, None, "{}", &program[..20]);
        assert!(!report.blocks(), "{}", report.for_model());
    }
}

#[test]
fn odd_texts_are_only_odd() {
    let odd = [
        "",
        "\0",
        "\u{feff}x = 1",
        "\r\r\r",
        "x = '\u{202e}'",
        "```python\n",
        "#",
        "\\",
        "é = 1\nprint(é)\n",
        "\t\tx = 1\n",
    ];
    for source in odd {
        assert_eq!(checked(source).unchecked, None, "{source:?}");
    }
}

#[test]
fn a_type_that_contains_itself_ends() {
    let source = "\
class A:
    x = lambda self: A.x
    def __getitem__(self, key): return self[key][key]
a = A()
a = a[a][a][a]
def f(n): return [f(n)] if n else f([f])
x = f(f)
for _ in range(3):
    x = [x, (x, {x: x})]
type T = list[T]
class B(B): pass
";
    assert_ne!(checked(source).unchecked, Some(Unchecked::Failed));
}

#[test]
fn out_of_time_means_not_checked_and_the_next_one_is() {
    let checker = Checker::new(Arc::new(Catalog::default())).with_patience(Duration::ZERO);
    let program = Program { source: "print(undefined)", ..Program::default() };
    let report = checker.check(&program);
    assert_eq!((report.unchecked, report.blocks()), (Some(Unchecked::OutOfTime), false));
    let checker = checker.with_patience(Duration::from_secs(60));
    assert!(checker.check(&program).blocks());
}

#[test]
fn half_of_a_program_is_no_reason_to_fail() {
    let whole = include_str!("../sets/good/every_way_to_give_arguments.py");
    let ends = whole.char_indices().map(|(at, _)| at).step_by(17);
    let checker = patient(Arc::new(Catalog::default()));
    for end in ends {
        let report = checker.check(&Program { source: &whole[..end], ..Program::default() });
        assert_eq!(report.unchecked, None, "the first {end} bytes");
    }
}

#[test]
fn a_thread_that_is_given_up_is_counted_until_it_ends() {
    let checker = Checker::new(Arc::new(Catalog::default())).with_patience(Duration::ZERO);
    checker.check(&Program { source: "print(1)", ..Program::default() });
    while checker.lost() > 0 {
        std::thread::yield_now();
    }
    let checker = checker.with_patience(Duration::from_secs(300));
    checker.check(&Program { source: "print(1)", ..Program::default() });
    assert_eq!(checker.lost(), 0, "one that ends in time is none of them");
}

#[test]
fn programs_that_are_checked_at_the_same_time_are_each_held_against_their_own_catalog() {
    let checker = patient(Arc::new(Catalog::default()));
    let with = |name: &str| {
        let tool = serde_json::json!({"name": name, "inputSchema": {"type": "object"}});
        let listing = serde_json::json!({"server": "s", "tools": [tool]});
        let listing: catalog::Listing = serde_json::from_value(listing).expect("a listing");
        Arc::new(Catalog::new(vec![Arc::new(listing)]))
    };
    let (first, second) = (with("first"), with("second"));
    std::thread::scope(|scope| {
        for at in 0..8 {
            let (checker, first, second) = (&checker, Arc::clone(&first), Arc::clone(&second));
            scope.spawn(move || {
                let (catalog, name) =
                    if at % 2 == 0 { (first, "first") } else { (second, "second") };
                let source = format!("from servers.s import {name}\nprint(await {name}(), {at})\n");
                let program = Program { source: &source, ..Program::default() };
                let report = checker.check_against(catalog, &program);
                assert_eq!((report.unchecked, report.blocks()), (None, false), "{source}");
            });
        }
    });
}

#[test]
fn literals_of_any_shape_are_checked_or_left_alone() {
    let mut tree = "1".to_owned();
    for _ in 0..12 {
        tree = format!("[{tree}, {{'a': [1, {{'b': 2}}]}}]");
    }
    let long = format!("x = [{}]\n", "{'a': [1, 2], 'b': {'c': 'd'}}, ".repeat(2_000));
    for source in [format!("x = {tree}\nprint(undefined)\n"), format!("{long}print(undefined)\n")] {
        let report = checked(&source);
        assert_eq!(report.unchecked, None, "{}", &source[..40]);
        assert!(report.blocks(), "the rest of the program is checked as ever");
    }
}
