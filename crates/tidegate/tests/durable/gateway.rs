//! A gateway that can be killed, with what was not synced dropped.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Where the runtime is.
pub(crate) fn cache() -> PathBuf {
    std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    )
}

/// A gateway over a folder of its own.
pub(crate) struct Gateway {
    pub(crate) folder: PathBuf,
    child: Option<Child>,
    port: u16,
    shim: Option<PathBuf>,
    arguments: Vec<String>,
    /// Variables of its environment.
    pub(crate) environment: Vec<(String, String)>,
    /// Sent with every request.
    pub(crate) token: Option<String>,
}

impl Gateway {
    /// One with the counting server, not started yet. `trusted` lets the server say what is read-only.
    pub(crate) fn new(folder: &Path, slowest: f64, arguments: &[&str]) -> Self {
        std::fs::create_dir_all(folder.join("data")).unwrap();
        std::fs::create_dir_all(folder.join("shadow")).unwrap();
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durable/counting.py");
        let config = format!(
            "[servers.desk]\ncommand = \"python3\"\nargs = [\"{}\", \"{}\", \"{slowest}\"]\ntrusted = true\n",
            server.display(),
            folder.join("counted").display()
        );
        std::fs::write(folder.join("tidegate.toml"), config).unwrap();
        Self {
            folder: folder.to_owned(),
            child: None,
            port: 0,
            shim: None,
            arguments: arguments.iter().map(|one| (*one).to_owned()).collect(),
            environment: Vec::new(),
            token: None,
        }
    }

    /// Lets the machine lose its power with each kill, where there is a compiler for that.
    pub(crate) fn with_power_cuts(mut self) -> Self {
        let shim = self.folder.join("shadow.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durable/shadow.c");
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&shim, &source])
            .arg("-ldl")
            .status();
        assert!(made.is_ok_and(|made| made.success()), "this test needs a C compiler, `cc`");
        self.shim = Some(shim);
        self
    }

    /// The same, with more in its configuration.
    pub(crate) fn with_settings(self, text: &str) -> Self {
        let file = self.folder.join("tidegate.toml");
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{before}\n{text}\n")).unwrap();
        self
    }

    /// Where it keeps everything.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Begins to start it.
    fn spawned(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .args(["serve", "--port", "0"])
            .args(&self.arguments)
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", self.data())
            .env("TIDEGATE_CONFIG", self.folder.join("tidegate.toml"))
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(shim) = &self.shim {
            command
                .env("LD_PRELOAD", shim)
                .env("SHADOW_OF", self.data())
                .env("SHADOW_TO", self.folder.join("shadow"));
        }
        command.spawn().unwrap()
    }

    /// Its words are kept for whoever looks for a failure.
    fn log(&self) -> std::fs::File {
        let log = self.folder.join("log");
        std::fs::File::options().append(true).create(true).open(log).unwrap()
    }

    pub(crate) fn start(&mut self) {
        let mut child = self.spawned();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut file = self.log();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let _ = writeln!(file, "{line}");
            let (_, rest) = line.split_once("listening on http://127.0.0.1:")?;
            rest.split(' ').next()?.parse().ok()
        });
        self.port = port.expect("it says where it listens");
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = writeln!(file, "{line}");
            }
        });
        self.child = Some(child);
    }

    /// Starts it and ends it by force after a while, whether it has got to listen or not.
    pub(crate) fn start_for(&mut self, time: Duration) {
        let mut child = self.spawned();
        let (mut words, mut file) = (child.stderr.take().unwrap(), self.log());
        std::thread::spawn(move || std::io::copy(&mut words, &mut file));
        std::thread::sleep(time);
        self.child = Some(child);
        self.kill();
    }

    /// Comes back when the server has counted so many calls.
    pub(crate) fn until_counted(&self, calls: usize) {
        let begun = Instant::now();
        while self.counted().len() < calls {
            assert!(begun.elapsed() < crate::PATIENCE, "{:?}", self.counted());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Comes back when a run waits and so many of its calls have answers that are written down.
    pub(crate) fn settles(&self, id: &str, calls: usize) {
        self.made(id, calls, |run| run["status"] == "waiting");
    }

    /// Comes back when so many calls of a run have been answered and the run is as it should be.
    pub(crate) fn made(&self, id: &str, calls: usize, is_so: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        loop {
            let run = self.run(id).unwrap();
            let made = run["calls"].as_array().map_or(&[][..], Vec::as_slice);
            let committed = made.iter().filter(|call| call["fate"] == "committed").count();
            if committed >= calls && is_so(&run) {
                return;
            }
            assert!(begun.elapsed() < crate::PATIENCE, "{run:#}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it by force; what was not synced is lost.
    pub(crate) fn kill(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        child.kill().unwrap();
        child.wait().unwrap();
        if self.shim.is_some() {
            lose_power(&self.data(), &self.folder.join("shadow"));
        }
    }

    /// Asks it to end, and says how long that took; what was not synced by then is lost.
    pub(crate) fn stop(&mut self) -> Duration {
        let mut child = self.child.take().unwrap();
        let begun = Instant::now();
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        child.wait().unwrap();
        let took = begun.elapsed();
        if self.shim.is_some() {
            lose_power(&self.data(), &self.folder.join("shadow"));
        }
        took
    }

    /// What it answers; nothing when it is no more.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<Value> {
        self.ask_as("", method, path, body)
    }

    /// The same, with a token.
    pub(crate) fn ask_as(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Option<Value> {
        answer_of(self.send(token, method, path, body)?)
    }

    /// The same, as the text it comes as.
    pub(crate) fn text(&self, path: &str) -> String {
        let mut text = String::new();
        self.send("", "GET", path, None).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    /// What it will answer on; nothing when it is no more.
    pub(crate) fn send(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let (length, authorization) = (body.len(), self.authorization(token));
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{authorization}connection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .ok()?;
        Some(stream)
    }

    /// The token that is named, or else its own.
    fn authorization(&self, token: &str) -> String {
        let own = self.token.as_deref().unwrap_or_default();
        match if token.is_empty() { own } else { token } {
            "" => String::new(),
            token => format!("authorization: Bearer {token}\r\n"),
        }
    }

    /// What it answers to a client of the newest revision that knows tasks.
    pub(crate) fn mcp(&self, method: &str, params: Value) -> Value {
        let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
        self.mcp_with(&capabilities, method, params)
    }

    /// The same for a client with these capabilities.
    pub(crate) fn mcp_with(&self, capabilities: &Value, method: &str, params: Value) -> Value {
        self.mcp_as("", capabilities, method, params)
    }

    /// The same, with a token.
    pub(crate) fn mcp_as(
        &self,
        token: &str,
        capabilities: &Value,
        method: &str,
        mut params: Value,
    ) -> Value {
        let authorization = self.authorization(token);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = body.to_string();
        let name = params["name"].as_str().or(params["taskId"].as_str()).unwrap_or_default();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n{authorization}connection: close\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: {name}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        answer_of(stream).unwrap_or_default()
    }

    /// Begins a run that goes on by itself; its id, if it was accepted.
    pub(crate) fn begin(&self, body: &Value) -> Option<String> {
        let answer = self.ask("POST", "/execute?async=true", Some(body))?;
        answer["run_id"].as_str().map(str::to_owned)
    }

    /// What is known of a run.
    pub(crate) fn run(&self, id: &str) -> Option<Value> {
        self.ask("GET", &format!("/api/v1/runs/{id}"), None)
    }

    /// A run when it is over.
    pub(crate) fn over(&self, id: &str, patience: Duration) -> Value {
        let begun = Instant::now();
        loop {
            let run = self.run(id);
            let status = run.as_ref().and_then(|run| run["status"].as_str()).unwrap_or_default();
            if !["queued", "running", "waiting", ""].contains(&status) {
                return run.unwrap_or_default();
            }
            assert!(
                begun.elapsed() < patience,
                "{id} is not over: {run:?}; see {}",
                self.folder.display()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What `tidegate runs` says about it.
    pub(crate) fn runs(&self, arguments: &[&str]) -> String {
        let said = self.command("runs", arguments);
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap()
    }

    /// A command of ours, about this gateway.
    pub(crate) fn command(&self, command: &str, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .arg(command)
            .args(arguments)
            .env("TIDEGATE_URL", format!("http://127.0.0.1:{}", self.port))
            .env("TIDEGATE_CACHE", cache())
            .env("TIDEGATE_DATA", self.data())
            .env("TIDEGATE_CONFIG", self.folder.join("tidegate.toml"))
            .envs(self.environment.iter().cloned())
            .envs(self.token.iter().map(|token| ("TIDEGATE_TOKEN", token)))
            .output()
            .unwrap()
    }

    /// Calls that the server counted, as `tool key`.
    pub(crate) fn counted(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join("counted")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Leaves of each file what was synced of it.
fn lose_power(folder: &Path, shadow: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        let about = entry.metadata().unwrap();
        if about.is_dir() {
            lose_power(&path, shadow);
            continue;
        }
        // Shared memory of the database is made anew.
        if path.extension().is_some_and(|ending| ending == "db-shm") {
            std::fs::remove_file(&path).unwrap();
            continue;
        }
        let copy = shadow.join(about.ino().to_string());
        let synced = std::fs::read(&copy).unwrap_or_default();
        if std::fs::read(&path).unwrap() != synced {
            std::fs::write(&path, synced).unwrap();
        }
    }
}

/// The JSON that comes back.
pub(crate) fn answer_of(mut stream: TcpStream) -> Option<Value> {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let body = if head.to_lowercase().contains("transfer-encoding: chunked") {
        joined(body)?
    } else {
        body.to_owned()
    };
    // What comes as an event is in its last line of data.
    let event = body.lines().rev().find_map(|line| line.strip_prefix("data: "));
    serde_json::from_str(event.unwrap_or(&body)).ok()
}

fn joined(chunked: &str) -> Option<String> {
    let (mut rest, mut whole) = (chunked, String::new());
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        whole.push_str(after.get(..size)?);
        rest = after.get(size + 2..)?;
    }
}
