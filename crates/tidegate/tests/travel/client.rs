//! The server `travel`, as an MCP client sees it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) const VARIABLE: &str = "TIDEGATE_TRAVEL_DATABASE";

/// A server of its own that ends with this.
pub(crate) struct Travel {
    child: Child,
    ask: ChildStdin,
    said: BufReader<ChildStdout>,
    asked: u64,
}

/// The server, not yet started.
pub(crate) fn server() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.args(["example-server", "travel"]).env_remove(VARIABLE);
    command
}

impl Travel {
    /// With its rows in PostgreSQL.
    pub(crate) fn at(address: &str) -> Self {
        Self::start(server().env(VARIABLE, address))
    }

    /// With its rows in an SQLite file.
    pub(crate) fn in_file(file: &Path) -> Self {
        Self::start(server().arg("--store").arg(file))
    }

    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (ask, said) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut travel = Self { child, ask, said: BufReader::new(said), asked: 0 };
        let about = json!({ "name": "test", "version": "1" });
        travel.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about }),
        );
        travel.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        travel
    }

    /// What a tool answers, or why it does not.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        if result["isError"] == true {
            return Err(result["content"][0]["text"].as_str().unwrap().to_owned());
        }
        Ok(result["structuredContent"].clone())
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.ask, "{message}").unwrap();
        self.ask.flush().unwrap();
    }
}

impl Drop for Travel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
