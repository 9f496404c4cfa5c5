//! What a gateway counts, and whether the dashboard and the alerts ask for what is counted.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A gateway with the example server behind it.
struct Gateway {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Gateway {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("tidegate.toml");
        let own = env!("CARGO_BIN_EXE_tidegate");
        let text =
            format!("[servers.data]\ncommand = {own:?}\nargs = [\"example-server\", \"data\"]\n");
        std::fs::write(&config, text).unwrap();
        let mut child = command(&folder)
            .args(["serve", "--port", "0"])
            .env("TIDEGATE_CONFIG", config)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended before it listened");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split(' ').next().unwrap().to_owned();
            }
        };
        // Otherwise it could not write any more.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, address, folder }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{method} {path}: {answer}");
        body.to_owned()
    }

    fn run(&self, code: &str) -> Value {
        let answer = self.ask("POST", "/execute", &json!({ "code": code }).to_string());
        // The pieces of a body whose length was not known come with their lengths between them.
        let (start, end) = (answer.find('{').unwrap(), answer.rfind('}').unwrap());
        serde_json::from_str(&answer[start..=end]).unwrap()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(folder: &tempfile::TempDir) -> Command {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.env("TIDEGATE_CACHE", cache).env("TIDEGATE_DATA", folder.path());
    command
}

/// The names in a text that are ours.
fn names(text: &str) -> BTreeSet<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_word(letter))
        .filter(|word| word.starts_with("tidegate_"))
        .map(str::to_owned)
        .collect()
}

fn deployed(file: &str) -> String {
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    std::fs::read_to_string(Path::new(&crate_folder).join("../../deploy").join(file)).unwrap()
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_what_is_counted() {
    let gateway = Gateway::start();
    let worked = gateway.run(
        "from servers.data import get_devices\ndevices = await get_devices()\nreturn len(devices)",
    );
    assert_eq!(worked["success"], true, "{worked}");
    assert_eq!(gateway.run("{}['missing']")["success"], false);
    let limited = json!({ "code": "while True: pass", "timeout": 1 }).to_string();
    gateway.ask("POST", "/execute", &limited);
    gateway.ask("GET", "/api/v1/mcp/tools/search?query=orders", "");
    let text = gateway.ask("GET", "/metrics", "");
    let counted = names(&text);
    for file in ["grafana-dashboard.json", "alerts.yml", "alerts_test.yml"] {
        for name in names(&deployed(file)) {
            assert!(counted.contains(&name), "{file} asks for {name}, of {counted:?}");
        }
    }
    for line in [
        "tidegate_runs_total{status=\"succeeded\",language=\"python\"} 1",
        "tidegate_runs_total{status=\"timed_out\",language=\"python\"} 1",
        "tidegate_errors_total{type=\"KeyError\"} 1",
        "tidegate_limit_hits_total{limit=\"wall\"} 1",
        "tidegate_host_calls_total{server=\"data\",tool=\"get_devices\",outcome=\"ok\"} 1",
        "tidegate_tool_combinations_total{tools=\"data.get_devices\"} 1",
        "tidegate_requests_total{kind=\"code\"} 3",
        "tidegate_requests_total{kind=\"search\"} 1",
        "tidegate_upstream_up{server=\"data\"} 1",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
    }
    for phase in ["queue", "check", "guest", "host_call"] {
        let line = format!("tidegate_phase_seconds_count{{phase=\"{phase}\"}}");
        assert!(text.contains(&line), "{line}");
    }
}

#[test]
fn what_was_saved_is_added_up() {
    let gateway = Gateway::start();
    let saved = |code: &str| gateway.run(code)["tokens_saved"].as_i64().unwrap();
    let first = saved("from servers.data import get_devices\nreturn len(await get_devices())");
    let second = saved("return 1");
    let stats = |arguments: &[&str]| {
        let said = command(&gateway.folder).arg("stats").args(arguments).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    };
    let all: Value = serde_json::from_str(&stats(&["--json"])).unwrap();
    assert_eq!(all["total_executions"], 2, "{all}");
    assert_eq!(all["total_tokens_saved"], first + second, "{all}");
    assert_eq!(all["tool_calls"], 1, "{all}");
    let text = stats(&[]);
    assert!(text.contains("data.get_devices"), "{text}");
    assert!(text.contains(&format!("tokens saved           {}", first + second)), "{text}");
}
