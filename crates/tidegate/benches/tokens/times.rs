//! What receipts and analyses cost in time.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::Failure;
use crate::world::{behind, cache};

/// Runs of each gateway, and how many of them are not counted.
const ROUNDS: usize = 120;
const UNTIMED: usize = 20;
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
        "| a run that gets 1 MB from a tool, from request to answer, and what of it is its receipt | {run:.1} ms, {receipt:.1} ms = {share:.1} % | under 5 % | {} |",
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

/// Milliseconds from asking for a run to its answer, with receipts, and how many of them are the receipt's: what the
/// very same run takes longer than in a gateway that writes none. The two are asked in turn, each first as often as
/// the other, and stand before the same tool; what differs from one moment to the next falls on both alike.
async fn receipt() -> Result<(f64, f64), Failure> {
    let listing =
        json!({"server": "big", "tools": [{"name": "rows", "inputSchema": {"type": "object"}}]});
    let (_asked, folder) = behind(&[serde_json::from_value(listing)?]).await?;
    let with = Gateway::start(folder.path(), "true").await?;
    let without = Gateway::start(folder.path(), "false").await?;
    let (mut whole, mut more) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (one, other) = if round.is_multiple_of(2) {
            let one = with.timed().await?;
            (one, without.timed().await?)
        } else {
            let other = without.timed().await?;
            (with.timed().await?, other)
        };
        // The first ones wake everything up.
        if round >= UNTIMED {
            whole.push(one);
            more.push(one - other);
        }
    }
    Ok((median(&mut whole), median(&mut more)))
}

/// A gateway in front of the tool.
struct Gateway {
    address: String,
    client: reqwest::Client,
    has_receipts: bool,
    _child: tokio::process::Child,
}

impl Gateway {
    async fn start(folder: &Path, receipts: &str) -> Result<Self, Failure> {
        let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .args(["serve", "--port", "0", "--receipts", receipts])
            .env("TIDEGATE_CONFIG", folder.join("tidegate.toml"))
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", folder.join(receipts))
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
        let address = loop {
            let line = lines.next_line().await?.ok_or("it ended before it listened")?;
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split(' ').next().unwrap_or_default().to_owned();
            }
        };
        // Read on, so that it never waits for somebody to read what it logs.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let client = reqwest::Client::new();
        Ok(Self { address, client, has_receipts: receipts == "true", _child: child })
    }

    /// Milliseconds of a whole request. Its session is gone when the next one begins.
    async fn timed(&self) -> Result<f64, Failure> {
        let Self { address, client, has_receipts, .. } = self;
        let begun = Instant::now();
        let request = client.post(format!("http://{address}/execute"));
        let answer: Value = request.json(&json!({"code": PROGRAM})).send().await?.json().await?;
        let whole = begun.elapsed().as_secs_f64() * 1e3;
        let counted = answer["receipt"]["inline"].as_u64().unwrap_or_default();
        if answer["success"] != true || *has_receipts != (counted > 100_000) {
            return Err(answer.to_string().into());
        }
        let session = answer["session"].as_str().ok_or("no session")?;
        let ended = client.delete(format!("http://{address}/api/v1/sessions/{session}"));
        ended.send().await?.error_for_status()?;
        Ok(whole)
    }
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
