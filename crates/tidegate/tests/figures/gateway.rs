//! A gateway of one's own, for tests that ask it things over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A `tidegate serve` with an empty data folder.
pub(crate) struct Gateway {
    child: Child,
    address: String,
    variables: Vec<(String, String)>,
    pub(crate) folder: tempfile::TempDir,
}

impl Gateway {
    /// One with the example server behind it.
    pub(crate) fn start() -> Self {
        let own = env!("CARGO_BIN_EXE_tidegate");
        let servers =
            format!("[servers.data]\ncommand = {own:?}\nargs = [\"example-server\", \"data\"]\n");
        Self::with(&servers, &[])
    }

    /// One with this configuration and these variables.
    pub(crate) fn with(config: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tidegate.toml"), config).unwrap();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Vec<_> = variables.iter().map(owned).collect();
        let (child, address) = started(&folder, &variables);
        Self { child, address, variables, folder }
    }

    /// Ends it by force, and starts another over what it left.
    pub(crate) fn again(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.child, self.address) = started(&self.folder, &self.variables);
    }

    /// The body of the answer, which must be a good one. `headers` end with a line break each.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 20"), "{method} {path}: {answer}");
        body.to_owned()
    }

    /// The same of an answer that is an object.
    pub(crate) fn object(&self, method: &str, path: &str, headers: &str, body: &str) -> Value {
        let answer = self.ask(method, path, headers, body);
        // The pieces of a body whose length was not known come with their lengths between them.
        let (start, end) = (answer.find('{').unwrap(), answer.rfind('}').unwrap());
        serde_json::from_str(&answer[start..=end]).unwrap()
    }

    /// How a program ended.
    pub(crate) fn run(&self, code: &str) -> Value {
        self.run_within(code, "")
    }

    /// How a program ended that was asked for with these headers.
    pub(crate) fn run_within(&self, code: &str, headers: &str) -> Value {
        self.object("POST", "/execute", headers, &json!({ "code": code }).to_string())
    }
}

/// One that listens, and where.
fn started(folder: &tempfile::TempDir, variables: &[(String, String)]) -> (Child, String) {
    let mut child = command(folder)
        .args(["serve", "--port", "0"])
        .env("TIDEGATE_CONFIG", folder.path().join("tidegate.toml"))
        .envs(variables.iter().cloned())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let address = loop {
        let mut line = String::new();
        assert!(said.read_line(&mut line).unwrap() > 0, "it ended before it listened");
        if let Some((_, rest)) = line.split_once("listening on http://") {
            break rest.split(' ').next().unwrap().to_owned();
        }
    };
    // Otherwise it could not write any more.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    (child, address)
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A `tidegate` that uses the runtime all tests share.
pub(crate) fn command(folder: &tempfile::TempDir) -> Command {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.env("TIDEGATE_CACHE", cache).env("TIDEGATE_DATA", folder.path());
    command
}
