//! `list.toml`: how each real server is started, and the program that uses it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use crate::tide::{Started, Tide};

/// The revision without `initialize`.
pub(crate) const NEWEST: &str = "2026-07-28";

/// One server of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) revision: String,
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    setup: Vec<String>,
}

impl Listed {
    pub(crate) fn all() -> Vec<Self> {
        #[derive(Deserialize)]
        struct List {
            server: Vec<Listed>,
        }
        let text = std::fs::read_to_string(folder().join("list.toml")).unwrap();
        let list: List = toml::from_str(&text).unwrap_or_else(|error| panic!("list.toml: {error}"));
        list.server
    }

    /// Makes what the server expects to find.
    pub(crate) fn prepare(&self, tide: &Tide) -> Result<(), String> {
        for (name, text) in &self.files {
            let path = tide.work().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let [program, arguments @ ..] = self.setup.as_slice() else { return Ok(()) };
        let ran = Command::new(program)
            .args(arguments)
            .current_dir(tide.work())
            .output()
            .map_err(|error| format!("setup could not start {program}: {error}"))?;
        let said = String::from_utf8_lossy(&ran.stderr);
        if ran.status.success() { Ok(()) } else { Err(format!("setup failed: {said}")) }
    }

    /// How it is started for this user.
    pub(crate) fn started_by(&self, tide: &Tide) -> Started {
        let fill = |text: &String| {
            let servers = servers().display().to_string();
            text.replace("{servers}", &servers)
                .replace("{work}", &tide.work().display().to_string())
        };
        Started {
            command: fill(&self.command),
            args: self.args.iter().map(fill).collect(),
            env: self.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
            cwd: self.cwd.as_ref().map(fill),
            ..Started::new(&self.name)
        }
    }
}

/// A program of this folder, and the value it must end with.
pub(crate) fn program(name: &str) -> (String, Value) {
    let path = folder().join(format!("{name}.py"));
    let source = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header: Vec<&str> =
        source.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let header = header.join(" ");
    let expected = header
        .strip_prefix("expect:")
        .unwrap_or_else(|| panic!("{} does not begin with `# expect:`", path.display()));
    let expected = serde_json::from_str(expected)
        .unwrap_or_else(|error| panic!("{}: {error} in {expected}", path.display()));
    (source, expected)
}

/// Installs the servers, once.
pub(crate) fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let script = folder().join("../../../../scripts/test-servers");
        let ran = Command::new(&script).arg(servers()).output().unwrap();
        assert!(
            ran.status.success(),
            "{} failed\n{}{}",
            script.display(),
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr)
        );
    });
}

/// Where the servers are installed.
fn servers() -> PathBuf {
    match std::env::var_os("TIDEGATE_TEST_SERVERS") {
        Some(folder) => folder.into(),
        None => PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/servers"),
    }
}

/// The folder of this file.
pub(crate) fn folder() -> PathBuf {
    // Asked at run time: clones that share a target folder share the compiled test too.
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/servers")
}
