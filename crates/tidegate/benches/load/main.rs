//! A service under load: many users, short programs that differ, each calling a tool.
//!
//! ```sh
//! cargo bench --workspace --bench load                      # five minutes, as promised
//! cargo bench --workspace --bench load -- --seconds 10      # a short form; fails on any error
//! cargo bench --workspace --bench load -- --write           # and puts the figures into the docs
//! cargo bench --workspace --bench load -- --faults          # two minutes in which servers fail, hang and restart
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark for people")]

mod report;
#[path = "../shared/mod.rs"]
mod shared;
mod users;

use std::time::{Duration, Instant};

use crate::report::Row;
use crate::shared::{Failure, Service};
use crate::users::{Load, Work};

/// Users at the same time, and how many come each second.
const USERS: usize = 50;
const RAMP: u32 = 10;
/// Sessions that are used again and again.
const SESSIONS: usize = 500;

#[tokio::main(worker_threads = 1)]
async fn main() -> Result<(), Failure> {
    let mut seconds = 300;
    let (mut write, mut faults) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().ok_or("--seconds NUMBER")?.parse()?,
            "--write" => write = true,
            "--faults" => faults = true,
            // Cargo says this to every benchmark.
            "--bench" => {}
            other => {
                let known = "--seconds NUMBER, --faults and --write";
                return Err(format!("{other}: there are {known}").into());
            }
        }
    }
    if faults {
        return faulty(Duration::from_secs(seconds.min(120)), write).await;
    }
    let folder = tempfile::tempdir()?;
    let often = ["--max-sessions", "100000", "--idle-freeze", "2s"];
    let service = Service::start(folder.path(), &often)?;
    service.ready().await?;
    let whole = Duration::from_secs(seconds);
    let part = (whole / 5).max(Duration::from_secs(5));

    let quick =
        Load { users: USERS, ramp: RAMP, lasts: whole, work: Work::Call("echo(text=text)") };
    let quick = measured("50 users, a quick tool", &service, &quick).await?;
    let slow =
        Load { users: USERS, ramp: RAMP, lasts: part, work: Work::Call("sleep(seconds=0.2)") };
    let slow = measured("50 users, a tool that takes 200 ms", &service, &slow).await?;
    let kept = Load { users: SESSIONS, ramp: 100, lasts: part, work: Work::Session };
    let kept = measured("500 sessions, each used every few seconds", &service, &kept).await?;

    service.stop()?;

    let rows = [quick, slow, kept];
    let text = report::table(&rows);
    println!("{text}");
    if write {
        report::write(&text, whole)?;
    }
    match rows.iter().find(|row| row.errors > 0) {
        None => Ok(()),
        Some(row) => {
            Err(format!("{}: {} errors, such as {}", row.what, row.errors, row.example).into())
        }
    }
}

/// Servers that fail, hang and restart: errors only where a call failed, and it recovers by itself.
async fn faulty(lasts: Duration, write: bool) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let fixture = shared::manifest().join("benches/load/faulty.py");
    let server = |name: &str| {
        format!(
            "[servers.{name}]\ncommand = \"python3\"\nargs = [{:?}, \"{name}\"]\nconcurrency = 64\ntimeout = \"1s\"\n",
            fixture.display().to_string()
        )
    };
    let servers = server("flaky") + &server("restarting");
    let service = Service::start_with(folder.path(), &["--max-sessions", "100000"], &servers)?;
    service.ready().await?;
    let load = Load { users: USERS, ramp: RAMP, lasts, work: Work::Faulty };
    let during = measured("50 users, servers that fail, hang and restart", &service, &load).await?;
    let after = Load { lasts: Duration::from_secs(5), work: Work::Call("echo(text=text)"), ..load };
    let after = measured("right after, a quick tool", &service, &after).await?;
    service.stop()?;
    let rows = [during, after];
    let text = report::table(&rows);
    println!("{text}");
    if write {
        report::write_faults(&text, lasts)?;
    }
    match rows.iter().find(|row| row.errors > 0) {
        None => Ok(()),
        Some(row) => Err(format!("{} errors of ours, such as {}", row.errors, row.example).into()),
    }
}

async fn measured(what: &'static str, service: &Service, load: &Load) -> Result<Row, Failure> {
    eprintln!("{what}, {} s", load.lasts.as_secs());
    // What the first requests cost once is not a leak.
    let warm = Load {
        lasts: (load.lasts / 10).clamp(Duration::from_secs(8), Duration::from_secs(30)),
        ..*load
    };
    users::run(service.port, &warm).await;
    let before = service.memory()?;
    let started = Instant::now();
    let answers = users::run(service.port, load).await;
    let elapsed = started.elapsed();
    let after = service.memory()?;
    Ok(Row::new(what, answers, elapsed, before, after))
}
