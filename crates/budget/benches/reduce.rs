//! How long it takes to make 10 MB of JSON fit, and to count a megabyte of tokens.
//!
//! `cargo bench --workspace --bench reduce` prints the median of each; with `-- --write` they also go
//! into docs/benchmarks.md, between the markers `reduce:begin` and `reduce:end`.

#![expect(clippy::print_stdout, reason = "the figures are the point")]

use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use budget::{Strategy, count, fit};
use serde_json::value::RawValue;

const ROUNDS: usize = 15;
const BEGIN: &str = "<!-- reduce:begin -->";
const END: &str = "<!-- reduce:end -->";

fn main() -> Result<(), Box<dyn Error>> {
    let raw = RawValue::from_string(rows(10_000_000))?;
    black_box(count("warm"));
    let mut table = String::from("| what | median | must reach |\n| --- | --- | --- |\n");
    for strategy in Strategy::ALL.into_iter().filter(|one| *one != Strategy::None) {
        let time = median(|| drop(black_box(fit(&raw, strategy, 2000))));
        let name = strategy.name();
        let _ = writeln!(table, "| 10 MB to 2,000 tokens, `{name}` | {time:.1?} | under 50 ms |");
    }
    let wide = RawValue::from_string(fields(10_000_000))?;
    for strategy in [Strategy::Auto, Strategy::Summarize, Strategy::Schema] {
        let time = median(|| drop(black_box(fit(&wide, strategy, 2000))));
        let name = strategy.name();
        let _ = writeln!(table, "| 10 MB in one object, `{name}` | {time:.1?} | under 50 ms |");
    }
    let text = rows(1_000_000);
    let time = median(|| {
        black_box(count(&text));
    });
    let _ = writeln!(table, "| counting the tokens of 1 MB | {time:.1?} | – |");
    println!("{table}");
    if std::env::args().any(|argument| argument == "--write") {
        write(&table)?;
    }
    Ok(())
}

/// Rows of a few fields, about so many bytes.
fn rows(bytes: usize) -> String {
    let mut text = String::from("[");
    let mut at = 0_u32;
    while text.len() < bytes {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}{{"id":{at},"name":"Device {} sensor","value":{}.{},"status":"{}","updated_at":"2026-11-{:02}T12:{:02}:00Z"}}"#,
            at * 7 % 1000,
            at * 13 % 997,
            at % 10,
            if at.is_multiple_of(3) { "idle" } else { "active" },
            at % 28 + 1,
            at % 60,
        );
        at += 1;
    }
    text.push(']');
    text
}

/// An object of short fields, about so many bytes.
fn fields(bytes: usize) -> String {
    let mut text = String::from("{\"key\":0");
    let mut at = 0_u32;
    while text.len() < bytes {
        let _ = write!(text, ",\"key {at}\":{}", at * 13 % 997);
        at += 1;
    }
    text.push('}');
    text
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn write(table: &str) -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
    let page = std::fs::read_to_string(&path)?;
    let (before, rest) = page.split_once(BEGIN).ok_or("the page has no reduce:begin")?;
    let (_, after) = rest.split_once(END).ok_or("the page has no reduce:end")?;
    std::fs::write(&path, format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))?;
    Ok(())
}
