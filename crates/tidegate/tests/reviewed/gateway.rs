//! A gateway of one's own, that can be stopped and started again; and somebody to talk to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

/// A `tidegate serve` with a data folder of its own.
pub(crate) struct Gateway {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Gateway {
    /// One with the example server behind it, and this configuration besides.
    pub(crate) fn start(config: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let own = env!("CARGO_BIN_EXE_tidegate");
        let servers =
            format!("[servers.data]\ncommand = {own:?}\nargs = [\"example-server\", \"data\"]\n");
        // A key of the whole file comes before its tables.
        let text = format!("{config}\n{servers}");
        std::fs::write(folder.path().join("tidegate.toml"), text).unwrap();
        let variables: Vec<_> =
            variables.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let (child, address) = begin(folder.path(), &variables);
        Self { child, address, folder, variables }
    }

    /// Ends it in an orderly way, and begins anew with what it left.
    pub(crate) fn restart(&mut self) {
        self.stop();
        (self.child, self.address) = begin(self.folder.path(), &self.variables);
    }

    /// Changes its configuration file while it runs.
    pub(crate) fn configure(&self, change: impl FnOnce(String) -> String) {
        let file = self.folder.path().join("tidegate.toml");
        let text = change(std::fs::read_to_string(&file).unwrap());
        std::fs::write(file, text).unwrap();
    }

    fn stop(&mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap();
    }

    /// The status and the body of an answer.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// A good answer, as JSON.
    pub(crate) fn json(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, body) = self.ask(method, path, body);
        assert_eq!(status, 200, "{method} {path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// How a program ended.
    pub(crate) fn run(&self, code: &str) -> Value {
        self.json("POST", "/execute", Some(&json!({ "code": code })))
    }

    /// What a command says that uses the same folders.
    pub(crate) fn command(&self, arguments: &[&str]) -> Output {
        command(self.folder.path()).args(arguments).output().unwrap()
    }

    /// The lines of the audit log that a search finds.
    pub(crate) fn audited(&self, arguments: &[&str]) -> String {
        let mut all = vec!["audit", "search", "--json"];
        all.extend(arguments);
        String::from_utf8(self.command(&all).stdout).unwrap()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn begin(folder: &Path, variables: &[(String, String)]) -> (Child, String) {
    let mut child = command(folder)
        .args(["serve", "--port", "0"])
        .envs(variables.iter().cloned())
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
    (child, address)
}

/// A `tidegate` that uses the runtime all tests share.
fn command(folder: &Path) -> Command {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .env("TIDEGATE_CACHE", cache)
        .env("TIDEGATE_DATA", folder.join("data"))
        .env("TIDEGATE_CONFIG", folder.join("tidegate.toml"));
    command
}

/// A web server that answers everything with one text, and tells what it was asked.
pub(crate) struct Web {
    pub(crate) address: String,
    pub(crate) asked: Receiver<String>,
}

impl Web {
    pub(crate) fn saying(body: &'static str) -> Self {
        Self::answering("200 OK", body)
    }

    /// One that sends every request on to an address, as it is.
    pub(crate) fn sending_on(to: &str) -> Self {
        Self::answering(&format!("307 Temporary Redirect\r\nLocation: {to}"), "")
    }

    fn answering(head: &str, body: &'static str) -> Self {
        let head = head.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (tell, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let (mut asked, mut length) = (String::new(), 0);
                while !asked.ends_with("\r\n\r\n") {
                    let mut line = String::new();
                    if stream.read_line(&mut line).unwrap() == 0 {
                        break;
                    }
                    if let Some(said) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = said.trim().parse().unwrap();
                    }
                    asked.push_str(&line);
                }
                let mut sent = vec![0; length];
                stream.read_exact(&mut sent).unwrap();
                let _ = tell.send(asked + &String::from_utf8_lossy(&sent));
                let answer = format!(
                    "HTTP/1.1 {head}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.get_mut().write_all(answer.as_bytes());
            }
        });
        Self { address, asked }
    }
}
