//! Drives the binary: the one place in these tests that knows how it is called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};

/// After this a command is killed and reported, so that a test never hangs.
const LONGEST: Duration = Duration::from_secs(300);

/// Seconds a server may take to start. Several start at the same time, on a machine that also builds.
const START_SECONDS: u64 = 120;

/// The level that leaves a program time on a machine that is busy.
pub(crate) const DEVELOPMENT: &str = "development";

/// The level programs have unless told otherwise.
pub(crate) const PRODUCTION: &str = "production";

/// A user with empty folders.
pub(crate) struct Tide {
    folder: tempfile::TempDir,
}

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Started {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: Option<String>,
    /// Seconds one call may take.
    pub(crate) call_seconds: Option<u64>,
    /// Tools that change are held back. Only our own file can say so.
    pub(crate) pin: bool,
}

impl Started {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// As other clients have it configured.
    fn as_mcp_server(&self) -> Value {
        let mut entry = json!({
            "command": self.command,
            "args": self.args,
            "env": self.env,
            "startup_timeout_sec": START_SECONDS,
        });
        if let Some(cwd) = &self.cwd {
            entry["cwd"] = cwd.as_str().into();
        }
        if let Some(seconds) = self.call_seconds {
            entry["tool_timeout_sec"] = seconds.into();
        }
        entry
    }

    /// As our own file has it.
    fn as_section(&self) -> Value {
        let mut section = json!({
            "command": self.command,
            "args": self.args,
            "env": self.env,
            "connect-timeout": START_SECONDS,
            "pin": self.pin,
        });
        if let Some(cwd) = &self.cwd {
            section["cwd"] = cwd.as_str().into();
        }
        section
    }
}

impl Tide {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    /// A folder for servers to work in.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The outcome of a program that may use these servers, given by an `mcpServers` file.
    pub(crate) fn outcome(
        &self,
        servers: &[Started],
        level: &str,
        options: &[&str],
        program: &str,
    ) -> Result<Value, String> {
        let entries: Map<String, Value> =
            servers.iter().map(|one| (one.name.clone(), one.as_mcp_server())).collect();
        let config = self.file("mcp.json", &json!({ "mcpServers": entries }).to_string());
        let program = self.file("program.py", program);
        let mut command = self.command();
        command.arg("run").arg("--mcp-config").arg(config);
        // Nobody sits there to be asked.
        command.args(["--json", "--approve", "*", "--level", level]).args(options).arg(program);
        parsed(&finished(command)?)
    }

    /// What `tidegate test` says about a server.
    pub(crate) fn tested(&self, server: &Started) -> Result<Value, String> {
        let sections: Map<String, Value> =
            [(server.name.clone(), server.as_section())].into_iter().collect();
        let text = toml::to_string(&json!({ "servers": sections })).unwrap();
        let config = self.file("tidegate.toml", &text);
        let mut command = self.command();
        command.arg("--config").arg(config).args(["test", "--json", &server.name]);
        parsed(&finished(command)?)
    }

    /// What a command says about a server, on both streams, and whether it succeeded. `settings`
    /// stand before the servers in the file.
    pub(crate) fn said(
        &self,
        servers: &[Started],
        settings: &str,
        arguments: &[&str],
    ) -> Result<(bool, String), String> {
        let sections: Map<String, Value> =
            servers.iter().map(|one| (one.name.clone(), one.as_section())).collect();
        let text = toml::to_string(&json!({ "servers": sections })).unwrap();
        let config = self.file("tidegate.toml", &format!("{settings}\n{text}"));
        let mut command = self.command();
        command.arg("--config").arg(config).args(arguments);
        let output = finished(command)?;
        let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        Ok((output.status.success(), said.concat()))
    }

    /// Where the user's things are kept.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", self.folder.path().join("data"))
            // Servers that this machine's user has configured stay out of it.
            .env("XDG_CONFIG_HOME", self.folder.path())
            .env_remove("TIDEGATE_CONFIG")
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Waits for the command to end, also for whoever else holds its output.
fn finished(mut command: Command) -> Result<Output, String> {
    let child: Child = command.spawn().unwrap();
    let pid = Pid::from_child(&child);
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(child.wait_with_output()));
    told.recv_timeout(LONGEST).map(Result::unwrap).map_err(|_| {
        // It may have ended while something it started still holds its output.
        let _ = kill_process(pid, Signal::KILL);
        format!("{command:?} did not end within {LONGEST:?}")
    })
}

fn parsed(output: &Output) -> Result<Value, String> {
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = |bytes| String::from_utf8_lossy(bytes).into_owned();
        format!(
            "{}, and what it printed is no JSON: {error}\nstdout: {}\nstderr: {}",
            output.status,
            said(&output.stdout),
            said(&output.stderr)
        )
    })
}

fn cache() -> PathBuf {
    match std::env::var_os("TIDEGATE_TEST_CACHE") {
        Some(folder) => folder.into(),
        None => Path::new(&std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
    }
}
