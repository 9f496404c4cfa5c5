//! What it costs that runs outlive the process.
//!
//! ```sh
//! cargo bench --workspace --bench durable               # everything, some six minutes
//! cargo bench --workspace --bench durable -- --short    # a tenth of the runs
//! cargo bench --workspace --bench durable -- --write    # and puts the figures into the docs
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark for people")]

mod resting;
#[path = "../shared/mod.rs"]
mod shared;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::shared::{Connection, Failure, Service, write_section};

/// Pairs of runs that are compared.
const ROUNDS: usize = 300;

#[tokio::main(worker_threads = 1)]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let says = |what: &str| arguments.iter().any(|argument| argument == what);
    let (few, write) = (says("--short"), says("--write"));
    let (burst, kept) = if few { (200, 1_000) } else { (2_000, 10_000) };

    let mut rows = calls().await?;
    rows.extend(resting::burst(burst).await?);
    rows.extend(resting::start(kept).await?);

    let mut text = String::from("| what | measured | target |\n| --- | --- | --- |\n");
    for (what, measured, target) in rows {
        let _ = writeln!(text, "| {what} | {measured} | {target} |");
    }
    println!("{text}");
    if write {
        let about = "## Runs that outlive the process\n\nWritten by `cargo bench --workspace --bench durable -- --write`: `tidegate serve --durable true`, its server and\nthe generator share this machine's two cores.\n";
        write_section("durable", &format!("{about}\n{text}"))?;
    }
    Ok(())
}

/// A row of the table: what, the figure, and what it must reach.
pub(crate) type Row = (String, String, &'static str);

/// Ten quick calls in a row, with and without a ledger, in turns.
async fn calls() -> Result<Vec<Row>, Failure> {
    eprintln!("ten quick calls, {ROUNDS} times each");
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let plain = Service::start(folders[0].path(), &["--max-sessions", "100000"])?;
    let durable =
        Service::start(folders[1].path(), &["--durable", "true", "--max-sessions", "100000"])?;
    plain.ready().await?;
    durable.ready().await?;
    let mut connections =
        [Connection::open(plain.port).await?, Connection::open(durable.port).await?];
    let mut rows = Vec::new();
    for (server, what, target) in [
        ("believed", "reads, against the same without a ledger, p50", "under 1.3x"),
        ("bench", "calls that may be writes, one image each, p50", ""),
    ] {
        let mut times = [Vec::new(), Vec::new()];
        for turn in 0..ROUNDS + 20 {
            for (connection, times) in connections.iter_mut().zip(&mut times) {
                let took = ten_calls(connection, server, turn).await?;
                // The first ones find everything cold.
                if turn >= 20 {
                    times.push(took);
                }
            }
        }
        let [without, with] = times.map(median);
        let ratio = with.as_secs_f64() / without.as_secs_f64();
        let measured = format!("{with:.2?} against {without:.2?}, {ratio:.2}x");
        rows.push((format!("a run with ten quick {what}"), measured, target));
    }
    plain.stop()?;
    durable.stop()?;
    Ok(rows)
}

async fn ten_calls(
    connection: &mut Connection,
    server: &str,
    turn: usize,
) -> Result<Duration, Failure> {
    let code = format!(
        "from servers.{server} import echo\nfor n in range(10):\n    await echo(text=f'{turn} {{n}}')\nreturn {turn}"
    );
    let body = json!({ "code": code }).to_string();
    let begun = Instant::now();
    let answer = connection.post("/execute", &body).await?;
    let took = begun.elapsed();
    if answer.status != 200 || !answer.body.contains(&format!("\"return_value\":{turn}")) {
        return Err(format!("{}: {}", answer.status, answer.body).into());
    }
    Ok(took)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
