//! `tidegate runs`: what a gateway runs and has run, asked of the gateway itself.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use crate::exit::{Ending, Misuse};
use crate::{out, show};

/// Options of `tidegate runs`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Where the gateway listens; `TIDEGATE_URL` otherwise, or `http://127.0.0.1:8030`.
    #[arg(long, global = true)]
    url: Option<String>,
    /// A file with the token to come in with; `TIDEGATE_TOKEN` otherwise.
    #[arg(long, value_name = "FILE", global = true)]
    token_file: Option<PathBuf>,
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
    /// Run the program of a run that did not succeed again; what was done is not done twice.
    Resume {
        /// The run, r_….
        run: String,
    },
}

/// Runs `tidegate runs`.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let gateway = Gateway::new(arguments)?;
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
        Action::Follow { run } => gateway.follow(run).await,
        Action::Cancel { run } => {
            let answer = gateway.ask(Method::POST, &at(run, "/cancel"), None).await?;
            gateway.print(&answer, |answer| match answer["cancelled"].as_bool() {
                Some(true) => vec!["it was ended".to_owned()],
                _ => vec![format!("it had ended already: {}", text(&answer["run"]["status"]))],
            })
        }
        Action::Resume { run } => {
            let before = gateway.ask(Method::GET, &at(run, ""), None).await?;
            let body = json!({
                "code": before["program"], "session": before["session"], "resume_from": run,
            });
            let answer = gateway.ask(Method::POST, "/execute?async=true", Some(&body)).await?;
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

/// A gateway that listens.
struct Gateway {
    client: Client,
    url: String,
    token: Option<String>,
    json: bool,
}

impl Gateway {
    fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let url = arguments.url.clone().or_else(|| std::env::var("TIDEGATE_URL").ok());
        let token = match &arguments.token_file {
            Some(file) => Some(std::fs::read_to_string(file).map_err(|error| {
                Misuse::error(format!("could not read {}: {error}; check the path", file.display()))
            })?),
            None => std::env::var("TIDEGATE_TOKEN").ok(),
        };
        Ok(Self {
            client: Client::new(),
            url: url.unwrap_or_else(|| "http://127.0.0.1:8030".to_owned()),
            token: token.map(|token| token.trim().to_owned()),
            json: arguments.json,
        })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.url.trim_end_matches('/'));
        let request = self.client.request(method, url);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn send(&self, request: RequestBuilder) -> anyhow::Result<reqwest::Response> {
        let url = &self.url;
        let response = request.send().await.map_err(|error| {
            Misuse::error(format!(
                "no gateway answers at {url}: {error}; start one with `tidegate serve`, or say where it is with --url"
            ))
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let said: Value = response.json().await.unwrap_or_default();
        let words = said["error"]["message"].as_str().unwrap_or("no more is known");
        Err(Misuse::error(format!("the gateway at {url} refused ({status}): {words}")))
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = self.send(request).await?;
        response.json().await.context("the gateway's answer cannot be read")
    }

    fn print(
        &self,
        answer: &Value,
        words: impl Fn(&Value) -> Vec<String>,
    ) -> anyhow::Result<Ending> {
        if self.json {
            out::line(answer).context(show::LOST)?;
            return Ok(Ending::Success);
        }
        for line in words(answer) {
            out::line(out::clean(&line)).context(show::LOST)?;
        }
        Ok(Ending::Success)
    }

    /// Prints events as they come.
    async fn follow(&self, run: &str) -> anyhow::Result<Ending> {
        let request = self.request(Method::GET, &at(run, "/events"));
        let mut response = self.send(request.header("accept", "text/event-stream")).await?;
        let mut rest = Vec::new();
        while let Some(bytes) = response.chunk().await.context("the gateway went away")? {
            rest.extend_from_slice(&bytes);
            while let Some(end) = rest.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = rest.drain(..end + 2).collect();
                self.event(&String::from_utf8_lossy(&event))?;
            }
        }
        Ok(Ending::Success)
    }

    fn event(&self, event: &str) -> anyhow::Result<()> {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
        let (kind, data) =
            (field("event:").unwrap_or_default(), field("data:").unwrap_or_default());
        let (kind, data) = (kind.trim(), data.trim());
        let data: Value = serde_json::from_str(data).unwrap_or_default();
        if self.json {
            return out::line(json!({ "event": kind, "data": data })).context(show::LOST);
        }
        let words = match kind {
            "output" => text(&data["text"]).trim_end().to_owned(),
            "call" => format!("calls {}", called(&data)),
            "call_end" => format!("{} answered", called(&data)),
            "status" => text(&data["status"]),
            "end" => one(&data).join("\n"),
            _ => return Ok(()),
        };
        out::line(out::clean(&words)).context(show::LOST)
    }
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
        let mut line = format!("waits for {what} since {}", text(&waiting["since"]));
        if waiting["wakes_at"].is_string() {
            line = format!("{line}, until {}", text(&waiting["wakes_at"]));
        }
        lines.push(line);
    }
    for call in run["calls"].as_array().into_iter().flatten() {
        let fate = call["fate"].as_str().unwrap_or("under way");
        lines.push(format!("  {} {fate}", called(call)));
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

fn called(call: &Value) -> String {
    match call["server"].as_str() {
        Some(server) => format!("{server}.{}", text(&call["tool"])),
        None => text(&call["tool"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
