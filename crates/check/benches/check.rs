//! How long a check takes, with the catalog of real servers.
//!
//! `cargo bench -p check --bench check` prints the median and the 99th percentile for programs of
//! 10, 40 and 150 lines; with `-- --write` they also go into docs/benchmarks.md. Every round checks
//! a text that was not seen before.

#![expect(clippy::print_stdout, reason = "the figures are the point")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::Catalog;
use check::{Checker, Program};

const ROUNDS: u32 = 300;
const BEGIN: &str = "<!-- check:begin -->";
const END: &str = "<!-- check:end -->";

const HEAD: &str = "\
import asyncio
import json
from collections import Counter

from servers.filesystem import list_directory, read_text_file
from servers.git import git_log, git_status
import servers.github_legacy as github

";

const PART: &str = "
async def report_NUMBER(owner, repo, folder):
    issues, status = await asyncio.gather(
        github.list_issues(owner=owner, repo=repo, state=\"open\", per_page=50),
        git_status(repo_path=folder),
    )
    labels = Counter()
    for issue in issues:
        for label in issue[\"labels\"]:
            labels[label[\"name\"]] += 1
    listed = await list_directory(path=folder)
    names = [line.split()[-1] for line in listed[\"content\"].splitlines() if line.startswith(\"[FILE]\")]
    texts = await asyncio.gather(*[read_text_file(path=f\"{folder}/{name}\", head=NUMBER) for name in names[:5]])
    longest = max((len(text[\"content\"]) for text in texts), default=0)
    log = await git_log(repo_path=folder, max_count=NUMBER)
    return {\"labels\": labels.most_common(3), \"longest\": longest, \"status\": str(status)[:80], \"log\": len(log)}

";

const SMALL: &str = "\
import json
from servers.filesystem import read_text_file

text = await read_text_file(path=\"/data/NUMBER.json\")
rows = json.loads(text[\"content\"])
total = 0
for row in rows:
    total += row[\"amount\"]
print(f\"{len(rows)} rows, {total:.2f}\")
{\"total\": total, \"first\": rows[:NUMBER]}
";

fn main() -> Result<(), Box<dyn Error>> {
    let listings: Vec<_> = catalog::corpus::listings().into_iter().map(Arc::new).collect();
    let catalog = Arc::new(Catalog::new(listings));
    let tools = catalog.tools().count();
    let checker = Checker::new(catalog);

    let started = Instant::now();
    checker.warm();
    let warming = started.elapsed();
    let mut table = String::from(
        "| program | median | 99th percentile | CPU time, mean |\n| --- | --- | --- | --- |\n",
    );
    let mut number = 0;
    for lines in [10, 40, 150] {
        // The first one of its kind reads the stubs of its servers.
        let first = timed(&checker, &program(lines, number));
        let before = cpu();
        let mut times: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                number += 1;
                timed(&checker, &program(lines, number))
            })
            .collect();
        let mean = (cpu() - before) / f64::from(ROUNDS);
        times.sort_unstable();
        let (median, last) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!(
            "{lines} lines: median {}, 99th percentile {}, the first one {}",
            ms(median),
            ms(last),
            ms(first)
        );
        println!("    CPU time, mean: {mean:.1} ms");
        let _ = writeln!(table, "| {lines} lines | {} | {} | {mean:.1} ms |", ms(median), ms(last));
    }
    println!("{tools} tools in the catalog; warming up took {}; {}", ms(warming), memory());
    let _ = write!(table, "\n{tools} tools in the catalog. Warming up took {}, once.", ms(warming));
    if std::env::args().any(|argument| argument == "--write") {
        write(&table)?;
    }
    Ok(())
}

fn timed(checker: &Checker, source: &str) -> Duration {
    let started = Instant::now();
    let report = checker.check(&Program { source, ..Program::default() });
    let took = started.elapsed();
    assert!(report.unchecked.is_none() && !report.blocks(), "{}", report.for_model());
    took
}

/// A program of so many lines, like no other.
fn program(lines: usize, number: usize) -> String {
    let number = (number + 2).to_string();
    if lines <= 10 {
        return SMALL.replace("NUMBER", &number);
    }
    let mut source = HEAD.to_owned();
    let mut parts = 0;
    while source.lines().count() + PART.lines().count() < lines {
        source.push_str(
            &PART.replace("report_NUMBER", &format!("report_{parts}")).replace("NUMBER", &number),
        );
        parts += 1;
    }
    for part in 0..parts {
        let _ = writeln!(
            source,
            "print(json.dumps(await report_{part}(\"acme\", \"rocket\", \"/work\")))"
        );
    }
    source
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// The CPU time of the whole process in milliseconds, which a busy machine does not lengthen.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() * 10.0
}

/// How much memory the process holds, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or_else(|| "memory unknown".to_owned(), |size| format!("memory {}", size.trim()))
}

/// Puts the table between its markers.
fn write(table: &str) -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
    let text = std::fs::read_to_string(&file)?;
    let (before, rest) =
        text.split_once(BEGIN).ok_or("docs/benchmarks.md has no place for these figures")?;
    let (_, after) =
        rest.split_once(END).ok_or("docs/benchmarks.md does not say where these figures end")?;
    std::fs::write(&file, format!("{before}{BEGIN}\n\n{table}\n\n{END}{after}"))?;
    Ok(())
}
