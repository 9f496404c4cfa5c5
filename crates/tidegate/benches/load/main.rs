//! A service under load: many users, short programs that differ, each calling a tool.
//!
//! ```sh
//! cargo bench --workspace --bench load                      # five minutes, as promised
//! cargo bench --workspace --bench load -- --seconds 10      # a short form; fails on any error
//! cargo bench --workspace --bench load -- --write           # and puts the figures into the docs
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark for people")]

mod http;
mod report;
mod users;

use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::http::Connection;
use crate::report::Row;
use crate::users::{Load, Work};

type Failure = Box<dyn Error + Send + Sync>;

/// Users at the same time, and how many come each second.
const USERS: usize = 50;
const RAMP: u32 = 10;
/// Sessions that are used again and again.
const SESSIONS: usize = 500;

#[tokio::main(worker_threads = 1)]
async fn main() -> Result<(), Failure> {
    let mut seconds = 300;
    let mut write = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().ok_or("--seconds NUMBER")?.parse()?,
            "--write" => write = true,
            // Cargo says this to every benchmark.
            "--bench" => {}
            other => return Err(format!("{other}: there are --seconds NUMBER and --write").into()),
        }
    }
    let service = Service::start()?;
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

    let rows = [quick, slow, kept];
    let text = report::table(&rows);
    println!("{text}");
    if write {
        report::write(&manifest().join("../../docs/benchmarks.md"), &text, whole)?;
    }
    match rows.iter().find(|row| row.errors > 0) {
        None => Ok(()),
        Some(row) => {
            Err(format!("{}: {} errors, such as {}", row.what, row.errors, row.example).into())
        }
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

/// A service of its own, with one server behind it.
struct Service {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Service {
    fn start() -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let fixture = manifest().join("../upstream/tests/fixtures/server.py");
        let config = folder.path().join("tidegate.toml");
        let server = format!(
            "[servers.bench]\ncommand = \"python3\"\nargs = [{:?}, \"normal\"]\nconcurrency = 64\n",
            fixture.display().to_string()
        );
        std::fs::write(&config, server)?;
        // Free a moment ago, and nobody else on this machine is in a hurry.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let cache = std::env::var_os("TIDEGATE_TEST_CACHE")
            .map_or_else(|| std::env::temp_dir().join("tidegate-bench"), PathBuf::from);
        let child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .args(["serve", "--port", &port.to_string(), "--max-sessions", "100000"])
            .args(["--idle-freeze", "2s"])
            .env("TIDEGATE_CACHE", cache)
            .env("TIDEGATE_DATA", folder.path())
            .env("TIDEGATE_CONFIG", &config)
            .stdout(Stdio::null())
            .spawn()?;
        Ok(Self { child, port, _folder: folder })
    }

    async fn ready(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(300) {
            if let Ok(mut connection) = Connection::open(self.port).await {
                let answer = connection.post("/execute", r#"{"code": "1"}"#).await;
                if answer.is_ok_and(|answer| answer.status == 200) {
                    return Ok(());
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        Err("the service did not get ready".into())
    }

    /// Resident bytes of the service itself.
    fn memory(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        let kib: u64 = line.split_whitespace().next().unwrap_or("0").parse()?;
        Ok(kib << 10)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It has nothing to keep.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn manifest() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into())).to_owned()
}
