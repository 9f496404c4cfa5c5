//! Drives the binary: the one place in these tests that knows how it is called.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A user with an empty data folder.
pub(crate) struct User {
    data: tempfile::TempDir,
}

/// What the binary said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl User {
    pub(crate) fn new() -> Self {
        Self { data: tempfile::tempdir().unwrap() }
    }

    /// A file of the user's own.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.data.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Where the user's things are.
    pub(crate) fn folder(&self) -> PathBuf {
        self.data.path().to_owned()
    }

    /// The frozen guest of a session.
    pub(crate) fn session_file(&self, name: &str) -> PathBuf {
        self.data.path().join("sessions").join(format!("{name}.tide"))
    }

    /// The command, not yet started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .args(arguments)
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", self.data.path())
            .env("XDG_CONFIG_HOME", self.data.path().join("config"))
            .env_remove("TIDEGATE_CONFIG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `tidegate` with these arguments.
    pub(crate) fn tidegate(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// What `tidegate` with these arguments prints; it has to succeed.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let said = self.tidegate(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {said:?}");
        said.stdout
    }

    /// Runs `tidegate` with something to read.
    pub(crate) fn tidegate_reading(&self, arguments: &[&str], input: &str) -> Said {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    }

    /// Starts `tidegate` and does not wait.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// The outcome of a program.
    pub(crate) fn outcome(&self, arguments: &[&str]) -> Value {
        let said = self.tidegate(&[&["run", "--json"], arguments].concat());
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    }

    /// The value of a program that succeeds.
    pub(crate) fn value(&self, arguments: &[&str]) -> Value {
        let outcome = self.outcome(arguments);
        assert_eq!(outcome["success"], true, "{outcome}");
        outcome["return_value"].clone()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// An outcome without what differs from run to run.
pub(crate) fn without_figures(mut outcome: Value) -> Value {
    outcome["execution_time_ms"] = "[ms]".into();
    for (key, unit) in [("wall_ms", "[ms]"), ("cpu_ms", "[ms]"), ("memory_bytes", "[bytes]")] {
        assert!(outcome["usage"][key].is_number(), "{outcome}");
        outcome["usage"][key] = unit.into();
    }
    outcome
}

fn cache() -> PathBuf {
    match std::env::var_os("TIDEGATE_TEST_CACHE") {
        Some(folder) => folder.into(),
        None => PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
    }
}
