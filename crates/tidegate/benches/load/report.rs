//! What was measured, for people.

use std::fmt::Write as _;
use std::time::Duration;

use crate::shared::{Failure, write_section};
use crate::users::Asked;

/// One load.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) errors: usize,
    pub(crate) example: String,
    answered: usize,
    per_second: f64,
    times: Vec<Duration>,
    before: u64,
    after: u64,
}

impl Row {
    pub(crate) fn new(
        what: &'static str,
        asked: Vec<Asked>,
        elapsed: Duration,
        before: u64,
        after: u64,
    ) -> Self {
        let mut times = Vec::with_capacity(asked.len());
        let (mut errors, mut example) = (0, String::new());
        for one in asked {
            match one {
                Ok(time) => times.push(time),
                Err(error) => {
                    errors += 1;
                    example = error;
                }
            }
        }
        times.sort_unstable();
        let answered = times.len();
        let count = f64::from(u32::try_from(answered).unwrap_or(u32::MAX));
        let per_second = count / elapsed.as_secs_f64();
        Self { what, errors, example, answered, per_second, times, before, after }
    }

    fn at(&self, percent: usize) -> Duration {
        let rank = (self.times.len() * percent).div_ceil(100).max(1) - 1;
        self.times.get(rank).copied().unwrap_or_default()
    }
}

/// The rows as Markdown.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| load | answered | errors | per second | p50 | p95 | p99 | memory after warm-up | at the end |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {:.1?} | {:.1?} | {:.1?} | {} | {} |",
            row.what,
            row.answered,
            row.errors,
            row.per_second,
            row.at(50),
            row.at(95),
            row.at(99),
            mib(row.before),
            mib(row.after),
        );
    }
    text
}

/// Puts the figures where the last ones were.
pub(crate) fn write(table: &str, lasted: Duration) -> Result<(), Failure> {
    let about = format!(
        "## A service under load\n\nWritten by `cargo bench --workspace --bench load -- --write`. `tidegate serve`, the server behind\nit and the generator share this machine's two cores. Programs differ from request to request, are\nchecked before they run, and call one tool each. The first row lasted {} s, the others a fifth of that.\nTargets: no errors; at least 400 a second with the quick tool and memory at most 1.1 times that after\nwarm-up; p95 under 2 s with the slow one.\n",
        lasted.as_secs()
    );
    write_section("load", &format!("{about}\n{table}"))
}

/// The same for servers on which things go wrong.
pub(crate) fn write_faults(table: &str, lasted: Duration) -> Result<(), Failure> {
    let about = format!(
        "## Servers that fail, hang and restart\n\nWritten by `cargo bench --workspace --bench load -- --faults --write`: {} s in which one call in twenty of a\nserver fails, one in twenty is never answered (its `timeout` is 1 s), and another server ends itself after every 400 calls.\nWhat was planned to go wrong is left out of all columns. Targets: no errors besides; memory at most 1.1 times that after warm-up.\n",
        lasted.as_secs()
    );
    write_section("faults", &format!("{about}\n{table}"))
}
