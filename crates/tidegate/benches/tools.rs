//! What a tool call costs through Tidegate, against the same call made directly.
//!
//! `cargo bench --workspace --bench tools` prints the figures; with `-- --write` they also go
//! into docs/benchmarks.md. One server, a small Python program, answers both; rounds alternate.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::ServerName;
use engine::{NoHost, Program, Session, Start};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan};
use gateway::{Memory, ServerPolicy, Tools};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use upstream::{ServerSettings, Startup, Timeouts, Upstreams};

type Failure = Box<dyn Error + Send + Sync>;

const ROUNDS: usize = 60;
const CALLS: usize = 100;
const SERVERS: usize = 20;
const STARTS: usize = 15;

/// Measures each call inside the program, and all of them together.
const PROGRAM: &str = "
from time import perf_counter
from servers.bench import echo
times = []
started = perf_counter()
for n in range(100):
    before = perf_counter()
    await echo(PARAMETER='x')
    times.append(perf_counter() - before)
[perf_counter() - started, times]
";

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let manifest =
        PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into()));
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE")
        .map_or_else(|| std::env::temp_dir().join("tidegate-bench"), PathBuf::from);
    let mut measured = Vec::new();
    for target in Target::all(&manifest) {
        measured.push((target.label, compared(&cache, &target).await?));
    }
    let starts = Starts::measure(&cache)?;
    let text = report(measured, starts);
    println!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        write(&manifest.join("../../docs/benchmarks.md"), &text)?;
    }
    Ok(())
}

/// Times of single calls and of a hundred, made directly and from a program.
#[derive(Default)]
struct Times {
    one: [Vec<f64>; 2],
    hundred: [Vec<f64>; 2],
}

async fn compared(cache: &Path, target: &Target) -> Result<Times, Failure> {
    let mut ours = Ours::open(cache, target)?;
    let direct = Direct::open(target).await?;
    ours.round().await?;
    direct.round().await?;
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        for (index, (whole, calls)) in
            [direct.round().await?, ours.round().await?].into_iter().enumerate()
        {
            times.hundred[index].push(whole);
            times.one[index].extend(calls);
        }
    }
    Ok(times)
}

/// A server with a tool `echo`, which takes one text.
struct Target {
    label: &'static str,
    command: String,
    arguments: Vec<String>,
    parameter: &'static str,
}

impl Target {
    /// The quickest server there can be, and, where the tests' servers are, a real one.
    fn all(manifest: &Path) -> Vec<Self> {
        let small = Self {
            label: "a small Python program",
            command: "python3".into(),
            arguments: vec![
                manifest.join("../upstream/tests/fixtures/server.py").display().to_string(),
                "normal".into(),
            ],
            parameter: "text",
        };
        let servers = std::env::var_os("TIDEGATE_TEST_SERVERS").map(PathBuf::from);
        let real = servers
            .map(|folder| folder.join("node/node_modules/.bin/mcp-server-everything"))
            .filter(|file| file.exists())
            .map(|file| Self {
                label: "server-everything",
                command: file.display().to_string(),
                arguments: vec!["stdio".into()],
                parameter: "message",
            });
        std::iter::once(small).chain(real).collect()
    }
}

/// A program in a session, through the gateway.
struct Ours {
    session: Session,
    tools: Arc<Tools>,
    program: String,
}

impl Ours {
    fn open(cache: &Path, target: &Target) -> Result<Self, Failure> {
        let plan = plan()?;
        let installed =
            install(&Cache::at(cache.to_owned()), &Source::Registry, &plan, &Builder, &Silent)?;
        let engine = Arc::new(WasmEngine::open(installed, Options::default())?);
        let name = ServerName("bench".into());
        let settings = ServerSettings {
            name: name.clone(),
            source: upstream::Source::Stdio(upstream::Stdio {
                command: target.command.clone(),
                arguments: target.arguments.clone(),
                environment: BTreeMap::new(),
                folder: None,
                shown: None,
            }),
            description: None,
            startup: Startup::Lazy,
            timeouts: Timeouts::default(),
            concurrency: 32,
            answer_bytes: 1 << 26,
        };
        let options = upstream::Options {
            environment: std::env::vars_os().collect(),
            ..upstream::Options::default()
        };
        let upstreams = Upstreams::new(vec![settings], options);
        let policy = ServerPolicy { learn: true, ..ServerPolicy::default() };
        let policies = BTreeMap::from([(name, policy)]);
        let tools = Tools::new(upstreams, policies, Memory::none());
        let program = PROGRAM.replace("PARAMETER", target.parameter);
        Ok(Self { session: Session::new(engine, Start::default()), tools, program })
    }

    async fn round(&mut self) -> Result<(f64, Vec<f64>), Failure> {
        let program = Program::new(&self.program);
        let outcome = gateway::run(
            &mut self.session,
            program,
            &self.tools,
            gateway::Behalf::default(),
            Arc::new(NoHost),
        )
        .await?;
        if let Some(error) = outcome.error {
            return Err(format!("{}: {}", error.kind, error.message).into());
        }
        Ok(serde_json::from_str(outcome.return_value.get())?)
    }
}

/// The official SDK's client, with nothing in between.
struct Direct {
    client: rmcp::service::RunningService<rmcp::RoleClient, ()>,
    parameter: &'static str,
    _child: tokio::process::Child,
}

impl Direct {
    async fn open(target: &Target) -> Result<Self, Failure> {
        let mut child = tokio::process::Command::new(&target.command)
            .args(&target.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let streams = child.stdout.take().zip(child.stdin.take()).ok_or("no streams")?;
        let client = ().serve(streams).await?;
        Ok(Self { client, parameter: target.parameter, _child: child })
    }

    async fn round(&self) -> Result<(f64, Vec<f64>), Failure> {
        let mut times = Vec::with_capacity(CALLS);
        let started = Instant::now();
        for _ in 0..CALLS {
            let before = Instant::now();
            let arguments = serde_json::Map::from_iter([(self.parameter.to_owned(), "x".into())]);
            let call = CallToolRequestParams::new("echo").with_arguments(arguments);
            self.client.call_tool(call).await?;
            times.push(before.elapsed().as_secs_f64());
        }
        Ok((started.elapsed().as_secs_f64(), times))
    }
}

/// Whole processes with many lazy servers configured, none of them used.
struct Starts {
    /// Until a program has ended.
    run: Vec<f64>,
    /// Until an MCP client has the answer to `initialize`.
    mcp: Vec<f64>,
}

impl Starts {
    fn measure(cache: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("tidegate.toml");
        let server = |number| {
            format!("[servers.s{number}]\ncommand = \"python3\"\nargs = [\"-c\", \"pass\"]\n")
        };
        std::fs::write(&file, (0..SERVERS).map(server).collect::<String>())?;
        let command = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
            command.args(arguments).arg("--config").arg(&file);
            command.env("TIDEGATE_CACHE", cache).env("TIDEGATE_DATA", folder.path());
            command
        };
        let (mut run, mut mcp) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let started = Instant::now();
            let output = command(&["run", "-c", "1+1"]).output()?;
            run.push(started.elapsed().as_secs_f64());
            if output.stdout != b"2\n" {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
            }
            mcp.push(initialized(command(&["mcp"]))?);
        }
        Ok(Self { run, mcp })
    }
}

/// Seconds until an MCP client has the answer to its first question.
fn initialized(mut command: Command) -> Result<f64, Failure> {
    const QUESTION: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    let started = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let (mut ask, answer) = child.stdin.take().zip(child.stdout.take()).ok_or("no streams")?;
    ask.write_all(QUESTION)?;
    ask.write_all(b"\n")?;
    let mut line = String::new();
    BufReader::new(answer).read_line(&mut line)?;
    let took = started.elapsed().as_secs_f64();
    drop(ask);
    child.wait()?;
    if line.contains("\"result\"") { Ok(took) } else { Err(line.into()) }
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn at_99(samples: &[f64]) -> f64 {
    samples.get(samples.len() * 99 / 100).copied().unwrap_or(f64::NAN)
}

fn report(measured: Vec<(&'static str, Times)>, mut starts: Starts) -> String {
    let (start, mcp) = (median(&mut starts.run), median(&mut starts.mcp));
    let mut text = String::from(
        "| what | directly with rmcp | from a program | ratio | must reach | |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for (label, times) in measured {
        rows(&mut text, label, times);
    }
    let _ = writeln!(
        text,
        "| a process with {SERVERS} lazy servers, a program that uses none | – | {} | – | under 150 ms | {} |",
        shown(start),
        held(start < 0.15),
    );
    let _ = writeln!(
        text,
        "| `tidegate mcp` with {SERVERS} lazy servers, from process start to the answer to `initialize` | – | {} | – | within 100 ms | {} |",
        shown(mcp),
        held(mcp <= 0.1),
    );
    text
}

fn rows(text: &mut String, label: &str, mut times: Times) {
    let Times { one, hundred } = &mut times;
    let [direct, ours] = [median(&mut one[0]), median(&mut one[1])];
    let [direct_100, ours_100] = [median(&mut hundred[0]), median(&mut hundred[1])];
    let _ = writeln!(
        text,
        "| {label}: one tool call, p50 (p99) | {} ({}) | {} ({}) | {:.2}x, {} more | under 1.3x and under 0.3 ms more | {} |",
        shown(direct),
        shown(at_99(&one[0])),
        shown(ours),
        shown(at_99(&one[1])),
        ours / direct,
        shown((ours - direct).max(0.0)),
        held(ours < 1.3 * direct && ours - direct < 0.3e-3),
    );
    let _ = writeln!(
        text,
        "| {label}: 100 calls one after another | {} | {} | {:.2}x | within 1.2x | {} |",
        shown(direct_100),
        shown(ours_100),
        ours_100 / direct_100,
        held(ours_100 <= 1.2 * direct_100),
    );
}

fn shown(seconds: f64) -> String {
    format!("{:.0?}", Duration::from_secs_f64(seconds))
}

fn held(good: bool) -> &'static str {
    if good { "held" } else { "NOT held" }
}

/// Puts the figures where the last ones were.
fn write(file: &Path, table: &str) -> Result<(), Failure> {
    const BEGIN: &str = "<!-- tools:begin -->";
    const END: &str = "<!-- tools:end -->";
    let old = std::fs::read_to_string(file)?;
    let before = old.split(BEGIN).next().unwrap_or_default().trim_end();
    // What other benchmarks wrote stays.
    let after = old.split_once(END).map_or("\n", |(_, after)| after);
    let about = "## Tool calls\n\nWritten by `cargo bench --workspace --bench tools -- --write`. Stdio servers are called by the\nofficial SDK's client and by a program in a session, in turns of 100: a small Python program, which\nanswers as quickly as any server could, and, where `TIDEGATE_TEST_SERVERS` has it, a real one.\n";
    std::fs::write(file, format!("{before}\n\n{BEGIN}\n{about}\n{table}\n{END}{after}"))?;
    Ok(())
}
