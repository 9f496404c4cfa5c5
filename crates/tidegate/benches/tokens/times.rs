//! What receipts and analyses cost in time.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::Failure;
use crate::world::{behind, cache};

const ROUNDS: usize = 25;
const ANALYSES: usize = 9;
const ROWS: usize = 100_000;

/// Gets a megabyte, looks at every row, and returns next to nothing.
const PROGRAM: &str = "from servers.big import rows\nfound = await rows()\nreturn sum(row['amount'] for row in found)";

/// The rows as Markdown.
pub(crate) async fn table() -> Result<String, Failure> {
    let (run, receipt) = receipt().await?;
    let analysis = analysis()?;
    let mut text = String::from("| what | p50 | must reach | |\n| --- | --- | --- | --- |\n");
    let share = 100.0 * receipt / run;
    let _ = writeln!(
        text,
        "| a run that gets 1 MB from a tool, and what its receipt adds | {:.1} ms, {receipt:.1} ms = {share:.1} % | under 5 % | {} |",
        run,
        held(share < 5.0)
    );
    let _ = writeln!(
        text,
        "| `tidegate analyze`, {ROWS} rows of a file, grouped and summed, from process start to the answer | {analysis:.0} ms | under 300 ms | {} |",
        held(analysis < 300.0)
    );
    Ok(text)
}

fn held(good: bool) -> &'static str {
    if good { "held" } else { "NOT held" }
}

/// Milliseconds of a run, and how much longer its answer takes than that of one without receipts to
/// write: everything around a run that gets nothing is taken off.
async fn receipt() -> Result<(f64, f64), Failure> {
    let listing =
        json!({"server": "big", "tools": [{"name": "rows", "inputSchema": {"type": "object"}}]});
    let (_asked, folder) = behind(&[serde_json::from_value(listing)?]).await?;
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(["serve", "--port", "0"])
        .env("TIDEGATE_CONFIG", folder.path().join("tidegate.toml"))
        .env("TIDEGATE_CACHE", cache())
        .env("TIDEGATE_DATA", folder.path())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
    let url = loop {
        let line = lines.next_line().await?.ok_or("it ended before it listened")?;
        if let Some((_, rest)) = line.split_once("http://") {
            break format!("http://{}/execute", rest.split(' ').next().unwrap_or_default());
        }
    };
    let (mut runs, mut around, mut idle) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (run, whole) = timed(&url, PROGRAM).await?;
        runs.push(run);
        around.push(whole - run);
        let (run, whole) = timed(&url, "return 1").await?;
        idle.push(whole - run);
    }
    Ok((median(&mut runs), (median(&mut around) - median(&mut idle)).max(0.0)))
}

/// Milliseconds of a run, and of the whole request.
async fn timed(url: &str, code: &str) -> Result<(f64, f64), Failure> {
    let client = reqwest::Client::new();
    let begun = Instant::now();
    let answer: Value = client.post(url).json(&json!({"code": code})).send().await?.json().await?;
    let whole = begun.elapsed().as_secs_f64() * 1e3;
    if answer["success"] != true {
        return Err(answer.to_string().into());
    }
    let run = answer["execution_time_ms"].as_f64().ok_or("no time")?;
    Ok((run, whole))
}

/// Milliseconds of a whole process that groups the rows of a file.
fn analysis() -> Result<f64, Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("rows.csv");
    let mut text = String::from("id,region,amount,day,name\n");
    for row in 0..ROWS {
        let region = ["EMEA", "APAC", "AMER"][row % 3];
        let _ = writeln!(
            text,
            "{row},{region},{}.5,2026-0{}-1{},user {}",
            row % 977,
            row % 9 + 1,
            row % 7,
            row % 500
        );
    }
    std::fs::write(&file, text)?;
    let mut times = Vec::new();
    for _ in 0..ANALYSES {
        let begun = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .arg("analyze")
            .arg(&file)
            .args(["--group-by", "region", "--aggregate", "sum:amount", "--json"])
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", folder.path())
            .output()?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        if !String::from_utf8_lossy(&output.stdout).contains("EMEA") {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
    }
    Ok(median(&mut times))
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
