//! The two figures that count: how many planted mistakes are caught before a program runs, and
//! how many programs that are right are kept from running.
//!
//! `cargo test --release -p check --test sets` prints them, and every program that is judged
//! wrongly.

mod fixture;
mod programs;

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use catalog::Catalog;
use check::{Checker, Given, Left, Program, Report, Severity};
use programs::{Good, Planted};

/// A checker that a busy machine does not make give up.
fn patient(catalog: Arc<Catalog>) -> Checker {
    Checker::new(catalog).with_patience(Duration::from_secs(300))
}

/// Says something although tests are to be silent: the figures are what the command is run for.
fn say(words: &str) {
    let _ = writeln!(std::io::stdout(), "{words}");
}

fn check_alone(catalog: &Arc<Catalog>, source: &str) -> Report {
    patient(Arc::clone(catalog)).check(&Program { source, ..Program::default() })
}

#[test]
fn nine_of_ten_planted_mistakes_are_caught() {
    let checker = patient(fixture::catalog());
    let planted = programs::planted();
    let mut caught = 0;
    for one in &planted {
        let report = checker.check(&Program { source: &one.source, ..Program::default() });
        if is_caught(one, &report) {
            caught += 1;
        } else {
            say(&format!(
                "missed {}: expected {} in line {}\n{}",
                one.name,
                one.code,
                one.line,
                shown(&report)
            ));
        }
    }
    say(&format!("planted mistakes caught before running: {caught} of {}", planted.len()));
    assert!(planted.len() >= 100);
    assert!(caught * 10 >= planted.len() * 9, "{caught} of {}", planted.len());
}

/// The mistake is found where it is, as what it is, and nothing else keeps the program from running.
fn is_caught(planted: &Planted, report: &Report) -> bool {
    let wanted = if planted.advice { Severity::Advice } else { Severity::Blocks };
    let is_it = |finding: &check::Finding| {
        finding.code.name() == planted.code
            && finding.line == planted.line
            && finding.severity == wanted
    };
    report.findings.iter().any(is_it)
        && report
            .blocking()
            .all(|finding| finding.line == planted.line || finding.code == check::Code::Syntax)
}

#[test]
fn no_program_that_is_right_is_kept_from_running() {
    let good = programs::good();
    let mut checker: Option<(Arc<Catalog>, Checker)> = None;
    let mut blocked = 0;
    let mut left = Left::nothing();
    for one in &good {
        let reused = checker.take().filter(|(catalog, _)| Arc::ptr_eq(catalog, &one.catalog));
        let (catalog, checks) =
            reused.unwrap_or_else(|| (Arc::clone(&one.catalog), patient(Arc::clone(&one.catalog))));
        let mut report = checks.check(&program(one));
        if one.in_session && !report.blocks() {
            // The same where it is known what the programs before it left.
            let names = Given::After(&one.names, &left);
            report = checks.check(&Program { names, ..program(one) });
        }
        left = report.left.clone();
        checker = Some((catalog, checks));
        if let Some(why) = report.unchecked {
            say(&format!("not checked: {}: {why}", one.name));
        }
        if report.blocks() && !one.may_fail {
            blocked += 1;
            say(&format!("blocked {}\n{}", one.name, shown(&report)));
        }
    }
    say(&format!("programs that run and were blocked: {blocked} of {}", good.len()));
    assert!(good.len() >= 400, "{} programs", good.len());
    assert_eq!(blocked, 0);
}

fn program(good: &Good) -> Program<'_> {
    Program {
        source: &good.source,
        names: if good.in_session { Given::Unknown } else { Given::Names(&good.names) },
        unlisted: &good.unlisted,
        partial: false,
        rules: None,
        is_typescript: false,
    }
}

fn shown(report: &Report) -> String {
    let lines = report.findings.iter().map(|finding| format!("  {:?} {finding}", finding.severity));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_cold_checker_finds_the_same() {
    let catalog = fixture::catalog();
    let warm = patient(Arc::clone(&catalog));
    for planted in programs::planted().iter().step_by(20) {
        let found = warm.check(&Program { source: &planted.source, ..Program::default() });
        let alone = check_alone(&catalog, &planted.source);
        assert_eq!(is_caught(planted, &alone), is_caught(planted, &found), "{}", planted.name);
    }
}
