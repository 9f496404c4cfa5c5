//! `tidegate runs`: what a gateway runs and has run, asked of the gateway itself.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};

use crate::exit::Ending;
use crate::remote::{Gateway, Where, read, written};
use crate::{out, show};

/// How long a gateway that went away is waited for.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a run is that has not ended.
const UNDER_WAY: [&str; 3] = ["queued", "running", "waiting"];

/// Options of `tidegate runs`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    place: Where,
    /// Print what the gateway answers, as JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List runs, the latest first.
    List {
        /// Only those: queued, running, waiting, succeeded, failed, cancelled, `timed_out`.
        #[arg(long)]
        status: Option<String>,
        /// How many.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Show one run: where it is, what it waits for, what it called.
    Show {
        /// The run, r_….
        run: String,
    },
    /// Print what a run prints until it ends.
    Follow {
        /// The run, r_….
        run: String,
    },
    /// End a run.
    Cancel {
        /// The run, r_….
        run: String,
    },
    /// Take a run that waits out of its gateway, into a file with which another goes on.
    Export {
        /// The run, r_….
        run: String,
        /// Where to write it; RUN.run if nothing is said.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Go on with a run from a file.
    Import {
        /// What `runs export` wrote.
        file: PathBuf,
        /// It left from this gateway, and goes on nowhere else.
        #[arg(long)]
        again: bool,
    },
    /// Run the program of a run that did not succeed again; what was done is not done twice.
    Resume {
        /// The run, r_….
        run: String,
    },
}

/// Runs `tidegate runs`.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let gateway = Gateway::new(&arguments.place, arguments.json)?;
    match &arguments.action {
        Action::List { status, limit } => {
            let mut path = format!("/api/v1/runs?limit={limit}");
            if let Some(status) = status {
                path = format!("{path}&status={status}");
            }
            let answer = gateway.ask(Method::GET, &path, None).await?;
            gateway.print(&answer, list)
        }
        Action::Show { run } => {
            let answer = gateway.ask(Method::GET, &at(run, ""), None).await?;
            gateway.print(&answer, one)
        }
        Action::Follow { run } => follow(&gateway, run).await,
        Action::Cancel { run } => {
            let answer = gateway.ask(Method::POST, &at(run, "/cancel"), None).await?;
            gateway.print(&answer, |answer| match answer["cancelled"].as_bool() {
                Some(true) => vec!["it was ended".to_owned()],
                _ => vec![format!("it had ended already: {}", text(&answer["run"]["status"]))],
            })
        }
        Action::Export { run, output } => {
            let file = output.clone().unwrap_or_else(|| PathBuf::from(format!("{run}.run")));
            // A file that cannot be written is known before the run has left.
            written(&file, &[])?;
            let answer = gateway.bytes(Method::POST, &at(run, "/export")).await;
            let _ = std::fs::remove_file(&file);
            let bytes = answer?;
            written(&file, &bytes)?;
            let told = json!({ "run_id": run, "file": file, "bytes": bytes.len() });
            gateway.print(&told, |_| {
                let file = file.display();
                vec![format!(
                    "it left, and lies in {file}; `tidegate runs import {file}` goes on with it"
                )]
            })
        }
        Action::Import { file, again } => {
            let path = format!("/api/v1/runs/import?again={again}");
            let answer = gateway.give(&path, read(file)?).await?;
            gateway
                .print(&answer, |answer| vec![format!("{} goes on here", text(&answer["run_id"]))])
        }
        Action::Resume { run } => {
            let answer = gateway.ask(Method::POST, &at(run, "/resume"), None).await?;
            gateway.print(&answer, |answer| {
                vec![format!(
                    "it runs as {}; `tidegate runs follow` shows it",
                    text(&answer["run_id"])
                )]
            })
        }
    }
}

fn at(run: &str, what: &str) -> String {
    format!("/api/v1/runs/{run}{what}")
}

/// Prints events as they come, also those after the gateway was started again.
async fn follow(gateway: &Gateway, run: &str) -> anyhow::Result<Ending> {
    let mut printed = Vec::new();
    loop {
        let request = gateway.request(Method::GET, &at(run, "/events"));
        let response = gateway.send(request.header("accept", "text/event-stream")).await?;
        if let Some(ending) = print_events(gateway, response, &mut printed).await? {
            return Ok(ending);
        }
        out::warn("the gateway went away; the run is followed again when it is back");
        comes_back(gateway).await?;
    }
}

/// Prints the events of one connection, but for those that were printed before; `None` if it broke off.
async fn print_events(
    gateway: &Gateway,
    mut response: reqwest::Response,
    printed: &mut Vec<(String, Value)>,
) -> anyhow::Result<Option<Ending>> {
    let (mut rest, mut at) = (Vec::new(), 0);
    while let Ok(Some(bytes)) = response.chunk().await {
        rest.extend_from_slice(&bytes);
        while let Some(end) = rest.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = rest.drain(..end + 2).collect();
            let (kind, data) = parsed(&String::from_utf8_lossy(&event));
            let is_over =
                matches!(data["status"].as_str(), Some(status) if !UNDER_WAY.contains(&status));
            if kind == "end" && data["waiting"]["paused"] == true {
                print_event(&kind, &data, gateway.json)?;
                return Ok(Some(Ending::Raised));
            }
            if kind == "end" && !is_over {
                // The gateway ends, and the run goes on with the next one.
                return Ok(None);
            }
            let ending = (kind == "end").then(|| ending(&data));
            let event = (kind, data);
            if printed.get(at) != Some(&event) {
                printed.truncate(at);
                print_event(&event.0, &event.1, gateway.json)?;
                printed.push(event);
            }
            at += 1;
            if ending.is_some() {
                return Ok(ending);
            }
        }
    }
    Ok(None)
}

/// Waits until the gateway answers again.
async fn comes_back(gateway: &Gateway) -> anyhow::Result<()> {
    let since = Instant::now();
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let answer = gateway.ask(Method::GET, "/health", None).await;
        match answer {
            Err(_) if since.elapsed() < PATIENCE => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}

/// How the command ends for a run that ended like this.
fn ending(run: &Value) -> Ending {
    match (run["status"].as_str(), run["error"]["type"].as_str()) {
        (Some("succeeded"), _) => Ending::Success,
        (Some("timed_out"), _) | (_, Some("LimitExceeded")) => Ending::Limited,
        _ => Ending::Raised,
    }
}

fn parsed(event: &str) -> (String, Value) {
    let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
    let (kind, data) = (field("event:").unwrap_or_default(), field("data:").unwrap_or_default());
    (kind.trim().to_owned(), serde_json::from_str(data.trim()).unwrap_or_default())
}

fn print_event(kind: &str, data: &Value, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return out::line(json!({ "event": kind, "data": data })).context(show::LOST);
    }
    let words = match kind {
        "output" => text(&data["text"]).trim_end().to_owned(),
        "call" => format!("calls {}", called(data)),
        "call_end" => format!("{} answered", called(data)),
        "status" => text(&data["status"]),
        "end" => one(data).join("\n"),
        _ => return Ok(()),
    };
    out::line(out::clean(&words)).context(show::LOST)
}

fn list(answer: &Value) -> Vec<String> {
    let mut table = show::table(["run", "status", "created", "calls", "session"]);
    for run in answer["runs"].as_array().into_iter().flatten() {
        let calls = text(&run["calls"]);
        let texts = [&run["run_id"], &run["status"], &run["created_at"]].map(text);
        let [id, status, created] = texts;
        table.add_row([id, status, created, calls, text(&run["session"])]);
    }
    vec![table.to_string()]
}

fn one(run: &Value) -> Vec<String> {
    let mut lines = vec![format!("{} {}", text(&run["run_id"]), text(&run["status"]))];
    let waiting = &run["waiting"];
    if waiting.is_object() {
        let names: Vec<String> =
            waiting["for"].as_array().into_iter().flatten().map(text).collect();
        let what = if names.is_empty() { "nothing but time".to_owned() } else { names.join(", ") };
        let what = match approvals(run) {
            0 => what,
            asked if asked == names.len() => format!("an approval of {what}"),
            asked => format!("{what} ({asked} of {} for an approval)", names.len()),
        };
        let mut line = format!("waits for {what} since {}", text(&waiting["since"]));
        if waiting["wakes_at"].is_string() {
            line = format!("{line}, until {}", text(&waiting["wakes_at"]));
        }
        lines.push(line);
    }
    let calls: Vec<&Value> = run["calls"].as_array().into_iter().flatten().collect();
    let open = match approvals(run) {
        0 => "under way",
        asked if asked == calls.iter().filter(|call| !call["fate"].is_string()).count() => {
            "waits for an approval"
        }
        _ => "under way, or waits for an approval",
    };
    for call in calls {
        let fate = call["fate"].as_str().unwrap_or(open);
        let again = if call["reused"] == true { ", as it was answered before" } else { "" };
        lines.push(format!("  {} {fate}{again}", called(call)));
    }
    if let Some(error) = run["error"].as_object() {
        let part = |name: &str| error.get(name).map(text).unwrap_or_default();
        lines.push(format!("{}: {}", part("type"), part("message")));
    } else if !run["return_value"].is_null() {
        lines.push(run["return_value"].to_string());
    }
    if run["note"].is_string() {
        lines.push(format!("note: {}", text(&run["note"])));
    }
    lines
}

/// How many of a run's calls wait for somebody's approval.
fn approvals(run: &Value) -> usize {
    run["waiting"]["approvals"].as_u64().and_then(|asked| asked.try_into().ok()).unwrap_or(0)
}

fn called(call: &Value) -> String {
    match call["server"].as_str() {
        Some(server) => format!("{server}.{}", text(&call["tool"])),
        None => text(&call["tool"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_wait_for_an_approval_are_not_under_way() {
        let call = |fate: Value| json!({ "server": "desk", "tool": "book", "fate": fate });
        let waiting = json!({ "since": "now", "for": ["desk.book"], "approvals": 1 });
        let calls = [call(json!("committed")), call(Value::Null)];
        let run =
            json!({ "run_id": "r_1", "status": "waiting", "waiting": waiting, "calls": calls });
        let words = one(&run);
        assert_eq!(words[1], "waits for an approval of desk.book since now");
        assert_eq!(words[2..], ["  desk.book committed", "  desk.book waits for an approval"]);
    }
}
