//! Many runs that wait, and a start that finds many of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Row;
use crate::shared::{Connection, Failure, Service};

/// Room for everything at once.
const ROOM: [&str; 8] = [
    "--durable",
    "true",
    "--max-sessions",
    "100000",
    "--max-queued",
    "100000",
    "--max-queued-per-owner",
    "100000",
];

/// Runs that wait for a minute each, all asked for at once.
pub(crate) async fn burst(runs: usize) -> Result<Vec<Row>, Failure> {
    eprintln!("{runs} runs that wait for a minute");
    let folder = tempfile::tempdir()?;
    let service = Service::start(folder.path(), &ROOM)?;
    service.ready().await?;
    let mut connection = Connection::open(service.port).await?;
    let (memory, threads) = (service.memory()?, service.status("Threads:")?);
    let begun = Instant::now();
    let code = |n: usize| format!("import asyncio\nawait asyncio.sleep(60)\nreturn {n}");
    let ids = begin(&mut connection, runs, code).await?;
    let asked = begun.elapsed();
    let (mut most_memory, mut most_threads, mut alive) = (memory, threads, None);
    loop {
        most_memory = most_memory.max(service.memory()?);
        most_threads = most_threads.max(service.status("Threads:")?);
        if begun.elapsed() > asked + Duration::from_secs(45) && alive.is_none() {
            alive = Some(figure(&mut connection, "tidegate_sessions{state=\"alive\"}").await?);
        }
        let left = open(&mut connection).await?;
        if left == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let elapsed = begun.elapsed();
    for (n, id) in ids.iter().enumerate() {
        let answer = connection.ask("GET", &format!("/api/v1/runs/{id}"), "").await?;
        let run: Value = serde_json::from_str(&answer.body)?;
        if run["return_value"] != n {
            return Err(format!("run {n} ended with {run}").into());
        }
    }
    service.stop()?;
    let mib = |bytes: u64| bytes >> 20;
    let grown = mib(most_memory.saturating_sub(memory));
    Ok(vec![
        (
            format!("{runs} runs that wait for a minute each, started in a burst ({asked:.1?})"),
            format!(
                "all finished after {elapsed:.0?}; memory grew by {grown} MiB from {} MiB",
                mib(memory)
            ),
            "all finish; under 300 MB",
        ),
        (
            "threads, before and at most; guests alive while all wait".to_owned(),
            format!("{threads} and {most_threads}; {}", alive.unwrap_or_default()),
            "none per run",
        ),
    ])
}

/// A start with runs on disk that rest for an hour.
pub(crate) async fn start(runs: usize) -> Result<Vec<Row>, Failure> {
    eprintln!("a start with {runs} resting runs");
    let empty = tempfile::tempdir()?;
    let service = Service::start(empty.path(), &ROOM)?;
    service.ready().await?;
    service.stop()?;
    let without = started(empty.path()).await?.0;

    let folder = tempfile::tempdir()?;
    let service = Service::start(folder.path(), &ROOM)?;
    service.ready().await?;
    let mut connection = Connection::open(service.port).await?;
    let code = |n: usize| format!("import asyncio\nawait asyncio.sleep(36000)\nreturn {n}");
    begin(&mut connection, runs, code).await?;
    while figure(&mut connection, "tidegate_queued").await? > 0.0
        || figure(&mut connection, "tidegate_sessions{state=\"alive\"}").await? > 0.0
    {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    service.stop()?;
    let (with, resting) = started(folder.path()).await?;
    if resting != runs {
        return Err(format!("{resting} of {runs} runs were found").into());
    }
    Ok(vec![(
        format!("start with {runs} resting runs on disk until a program has run, against none"),
        format!("{with:.2?} against {without:.2?}"),
        "under 2 s",
    )])
}

/// How long a start takes until a program has run, and how many runs it found.
async fn started(folder: &std::path::Path) -> Result<(Duration, usize), Failure> {
    let begun = Instant::now();
    let service = Service::start(folder, &ROOM)?;
    service.ready().await?;
    let took = begun.elapsed();
    let mut connection = Connection::open(service.port).await?;
    let found = open(&mut connection).await?;
    service.stop()?;
    Ok((took, found))
}

async fn begin(
    connection: &mut Connection,
    runs: usize,
    code: impl Fn(usize) -> String,
) -> Result<Vec<String>, Failure> {
    let mut ids = Vec::with_capacity(runs);
    for n in 0..runs {
        let body = json!({ "code": code(n) }).to_string();
        let answer = connection.post("/execute?async=true", &body).await?;
        if answer.status != 202 {
            return Err(format!("{}: {}", answer.status, answer.body).into());
        }
        let run: Value = serde_json::from_str(&answer.body)?;
        ids.push(run["run_id"].as_str().ok_or("no run_id")?.to_owned());
    }
    Ok(ids)
}

/// Runs that have not ended.
async fn open(connection: &mut Connection) -> Result<usize, Failure> {
    let count = figure(connection, "tidegate_open_runs").await?;
    Ok(format!("{count:.0}").parse()?)
}

async fn figure(connection: &mut Connection, name: &str) -> Result<f64, Failure> {
    let figures = connection.ask("GET", "/metrics", "").await?.body;
    let line = figures.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(line.ok_or_else(|| format!("no figure {name}"))?.trim().parse()?)
}
