//! `--mode direct`: what a server behind us says and asks reaches the client whose request it is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![expect(clippy::needless_pass_by_value, reason = "`json!` makes values, and tests read better")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

#[test]
fn a_question_reaches_the_client_and_its_answer_the_server() {
    let mut client = Client::start();
    let call = json!({ "name": "ask", "arguments": {}, "_meta": { "progressToken": "mine" } });
    let id = client.send("tools/call", call);
    let progress = client.hear();
    assert_eq!(progress["params"], json!({ "progressToken": "mine", "progress": 1.0 }));
    let question = client.hear();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Sure?");
    let result = json!({ "action": "accept", "content": { "sure": true } });
    client.tell(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
    let answer = client.hear();
    assert_eq!(answer["id"], id);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result);
}

#[test]
fn a_question_that_may_belong_to_either_of_two_calls_reaches_nobody() {
    let mut client = Client::start();
    for _ in 0..2 {
        client.send("tools/call", json!({ "name": "ask_together", "arguments": {} }));
    }
    for _ in 0..2 {
        let answer = client.hear();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("does not give a choice of the user"), "{answer}");
    }
}

#[test]
fn resources_are_read_and_refused_in_the_servers_own_words() {
    let mut client = Client::start();
    client.send("resources/read", json!({ "uri": "x://one" }));
    assert_eq!(client.hear()["result"]["contents"][0]["text"], "1");
    client.send("resources/read", json!({ "uri": "x://two" }));
    let error = json!({ "code": -32002, "message": "gone", "data": { "why": "moved" } });
    assert_eq!(client.hear()["error"], error);
}

#[test]
fn what_rules_deny_is_neither_listed_nor_watched() {
    let lists = ["resources/list", "resources/templates/list", "prompts/list"];
    let words = ["x://one", "x://{any}", "greet"];
    let mut client = Client::start();
    for (method, word) in lists.into_iter().zip(words) {
        client.send(method, json!({}));
        let listed = client.hear();
        assert!(listed["result"].to_string().contains(word), "{listed}");
    }
    client.send("resources/subscribe", json!({ "uri": "x://one" }));
    assert!(client.hear().get("result").is_some());

    let mut client = Client::start_under(
        "[[policy.rules]]\nname = \"closed\"\ntools = \"asking.$*\"\naction = \"deny\"\n",
    );
    for (method, word) in lists.into_iter().zip(words) {
        client.send(method, json!({}));
        let listed = client.hear();
        assert!(listed.get("result").is_some(), "{listed}");
        assert!(!listed.to_string().contains(word), "{listed}");
    }
    client.send("resources/subscribe", json!({ "uri": "x://one" }));
    let refused = client.hear();
    assert!(refused["error"]["message"].as_str().unwrap().contains("closed"), "{refused}");
}

#[test]
fn a_number_that_is_a_token_fits_what_is_said_of_the_answer() {
    let is_number = json!("integer");
    let listed = |client: &mut Client| {
        client.send("tools/list", json!({}));
        let listed = client.hear();
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let person = tools.into_iter().find(|tool| tool["name"] == "person").unwrap();
        person["outputSchema"]["properties"]["mobile"]["type"].clone()
    };
    assert_eq!(listed(&mut Client::start()), is_number);
    let mut client = Client::start_under("pii = \"tokenize\"\n");
    assert_eq!(listed(&mut client), json!(["integer", "string"]));
    client.send("tools/call", json!({ "name": "person", "arguments": {} }));
    let answer = client.hear();
    let mobile = answer["result"]["structuredContent"]["mobile"].as_str().unwrap();
    assert!(mobile.starts_with("PHONE_"), "{answer}");
}

/// A client that speaks the protocol by hand.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    _folder: tempfile::TempDir,
}

impl Client {
    /// One that can be asked, and has shaken hands.
    fn start() -> Self {
        Self::start_under("")
    }

    /// The same, under rules.
    fn start_under(rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("tidegate.toml");
        let crate_folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
        let server = format!("{crate_folder}/tests/direct/asking.py");
        let text = format!("[servers.asking]\ncommand = \"python3\"\nargs = [{server:?}]\n{rules}");
        std::fs::write(&config, text).unwrap();
        let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
            || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
            PathBuf::from,
        );
        let mut child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .args(["mcp", "--mode", "direct"])
            .env("TIDEGATE_DATA", folder.path())
            .env("TIDEGATE_CACHE", cache)
            .env("TIDEGATE_CONFIG", config)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, input, output, last: 0, _folder: folder };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "test", "version": "1" },
        });
        client.send("initialize", hello);
        assert!(
            client.hear()["result"]["capabilities"]["resources"]["subscribe"].as_bool().unwrap()
        );
        client.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client.send("tools/list", json!({}));
        while client.hear().get("result").is_none() {}
        client
    }

    fn tell(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, whatever it is; that tools were found is no news here.
    fn hear(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended before it answered");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] != "notifications/tools/list_changed" {
                return message;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
