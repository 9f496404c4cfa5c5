//! `tidegate mcp` as a client meets it: lines of JSON on standard input and output.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![expect(clippy::needless_pass_by_value, reason = "`json!` makes values, and tests read better")]

mod mended;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A client that speaks the protocol by hand.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    /// Notifications that came between answers.
    heard: Vec<Value>,
    /// Its own folder, which goes with it.
    folder: Option<tempfile::TempDir>,
}

impl Client {
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut client = Self::start_in(folder.path(), arguments);
        client.folder = Some(folder);
        client
    }

    /// One with a data folder that others may use too.
    fn within(folder: &Path) -> Self {
        let mut client = Self::start_in(folder, &[]);
        client.shake_hands(&[]);
        client
    }

    fn start_in(folder: &Path, arguments: &[&str]) -> Self {
        let own = env!("CARGO_BIN_EXE_tidegate");
        let server =
            format!("[servers.data]\ncommand = {own:?}\nargs = [\"example-server\", \"data\"]\n");
        std::fs::write(folder.join("tidegate.toml"), server).unwrap();
        Self::configured_in(folder, arguments)
    }

    /// One with whatever `tidegate.toml` the folder has.
    fn configured_in(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = tidegate(folder)
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, last: 0, heard: Vec::new(), folder: None }
    }

    /// One that has shaken hands, as every client before the newest revision does.
    fn initialized(arguments: &[&str]) -> Self {
        let mut client = Self::start(arguments);
        client.shake_hands(arguments);
        client
    }

    fn shake_hands(&mut self, arguments: &[&str]) {
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "tidegate");
        let told = answer["result"]["instructions"].as_str().unwrap_or_default();
        let searches = told.contains("search_tools") || told.contains("searchTools");
        assert_eq!(searches, !arguments.contains(&"direct"));
        self.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    fn tell(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn hear(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended before it answered");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.hear(id)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    /// Runs a program, patiently: a runtime that is being made says so.
    fn run(&mut self, arguments: Value) -> Value {
        self.run_with("execute_python", arguments)
    }

    fn run_with(&mut self, tool: &str, arguments: Value) -> Value {
        loop {
            let result = self.call(tool, arguments.clone());
            if !text(&result).contains("being installed") {
                return result;
            }
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    }
}

/// The binary, for a user whose things are in `folder`.
fn tidegate(folder: &Path) -> Command {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .env("TIDEGATE_CACHE", cache)
        .env("TIDEGATE_DATA", folder)
        .env("TIDEGATE_CONFIG", folder.join("tidegate.toml"));
    command
}

impl Drop for Client {
    fn drop(&mut self) {
        // Whoever closes its input is done, and so are we.
        drop(self.input.take());
        let _ = self.child.wait();
        drop(self.folder.take());
    }
}

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_client_sees_two_tools_however_many_there_are() {
    let mut client = Client::initialized(&[]);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["execute_python", "search_tools"]);
    for tool in tools.as_array().unwrap() {
        assert!(tool["outputSchema"].is_object() && tool["annotations"].is_object());
        assert!(tool["title"].is_string());
    }
}

#[test]
fn programs_call_tools_and_a_session_goes_on() {
    let mut client = Client::initialized(&[]);
    let found = client.call("search_tools", json!({ "query": "devices", "detail_level": "full" }));
    assert!(text(&found).contains("from servers.data import get_devices"), "{found}");
    assert_eq!(found["structuredContent"]["tools"][0]["server"], "data");

    let code = "from servers.data import get_devices\nn = (await get_devices())['count']\nn";
    let first = client.run(json!({ "code": code }));
    assert_eq!(first["structuredContent"]["return_value"], 99);
    assert_eq!(first["isError"], json!(false));
    let session = first["structuredContent"]["session"].clone();
    assert!(text(&first).starts_with("99\n"), "{}", text(&first));
    assert!(text(&first).contains(session.as_str().unwrap()));
    let next = client.run(json!({ "code": "n + 1", "session": session }));
    assert_eq!(next["structuredContent"]["return_value"], 100);
    let fresh = client.run(json!({ "code": "'n' in globals()" }));
    assert_eq!(fresh["structuredContent"]["return_value"], false);
    let given = client.run(json!({ "code": "sum(rows)", "context": { "rows": [1, 2, 3] } }));
    assert_eq!(given["structuredContent"]["return_value"], 6);
}

#[test]
fn programs_in_typescript_run_for_those_who_ask_for_that() {
    let tools = "execute_python,execute_typescript,search_tools";
    let mut client = Client::initialized(&["--tools", tools]);
    let listed = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["execute_python", "execute_typescript", "search_tools"]);
    let prompt = client.ask("prompts/get", json!({ "name": "tidegate" }));
    assert!(prompt.to_string().contains("import { list_issues } from"), "{prompt}");

    let code = "import { get_devices } from \"servers/data\";\nconst found = await get_devices();\nconst n: number = found.count;\nn";
    let first = client.run_with("execute_typescript", json!({ "code": code }));
    assert_eq!(first["structuredContent"]["return_value"], 99, "{first}");
    let session = first["structuredContent"]["session"].clone();
    let next = json!({ "code": "n + 1", "session": session });
    let next = client.call("execute_typescript", next);
    assert_eq!(next["structuredContent"]["return_value"], 100, "{next}");
    let other = client.run(json!({ "code": "n + 1", "session": session }));
    assert!(text(&other).contains("has TypeScript"), "{other}");
    assert!(text(&other).contains("`workspace_of`"), "{other}");
    // A session of the other language may have its files.
    let code = "open('made.txt', 'w').write('by Python')";
    let beside = client.run(json!({ "code": code, "workspace_of": session }));
    assert_eq!(beside["structuredContent"]["success"], true, "{beside}");
    let read = json!({ "code": "readFile('/workspace/made.txt')", "session": session });
    let read = client.call("execute_typescript", read);
    assert_eq!(read["structuredContent"]["return_value"], "by Python", "{read}");
    let wrong = client.run(json!({ "code": "1", "workspace_of": "mine" }));
    assert!(text(&wrong).contains("`workspace_of`"), "{wrong}");
    let wrong = client.call("execute_typescript", json!({ "code": 1 }));
    assert!(text(&wrong).contains("execute_typescript takes"), "{wrong}");
    let receipt = &first["_meta"]["tidegate/receipt"];
    assert_eq!(receipt["language"], "typescript", "{first}");
}

#[test]
fn an_analysis_reads_what_a_program_in_typescript_wrote() {
    let mut client = Client::initialized(&["--tools", "execute_typescript,execute_analysis"]);
    let code = r#"await writeFile("/workspace/rows.json", '[{"n": 1}, {"n": 5}]')"#;
    let made = client.run_with("execute_typescript", json!({ "code": code }));
    let session = made["structuredContent"]["session"].clone();
    let mut asked = json!({
        "analysis_type": "aggregate", "data": { "file": "/workspace/rows.json" },
        "parameters": { "aggregations": { "n": ["sum"] } }, "session": session,
    });
    let refused = client.call("execute_analysis", asked.clone());
    assert!(text(&refused).contains("`workspace_of`"), "{refused}");
    let session = asked.as_object_mut().unwrap().remove("session").unwrap();
    asked["workspace_of"] = session;
    // Its runtime may not be there yet.
    let found = client.run_with("execute_analysis", asked);
    let result = &found["structuredContent"]["return_value"]["result"];
    assert_eq!(*result, json!([{ "n_sum": 6 }]), "{found}");
}

#[test]
fn where_typescript_is_the_only_language_its_tool_takes_the_place_of_pythons() {
    let mut client = Client::initialized(&["--languages", "typescript"]);
    let listed = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["execute_typescript", "search_tools"]);
    let ran = client.run_with("execute_typescript", json!({ "code": "[1, 2].length" }));
    assert_eq!(ran["structuredContent"]["return_value"], 2, "{ran}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tidegate.toml"), "").unwrap();
    let wrong = ["mcp", "--languages", "python", "--tools", "execute_typescript"];
    let said = tidegate(folder.path()).args(wrong).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("`languages`"), "{said}");
}

#[test]
fn what_goes_wrong_comes_back_in_words() {
    let mut client = Client::initialized(&[]);
    let cases = [
        (json!({ "code": "x = 1\nx / 0" }), "was not run: 1 mistake"),
        (
            json!({ "code": "y = 1\ny / zero", "context": { "zero": 0 } }),
            "ZeroDivisionError at line 2",
        ),
        (
            json!({ "code": "from servers.data import get_device\nawait get_device()" }),
            "get_devices",
        ),
        (json!({ "code": "import time\ntime.sleep(9)", "timeout": 1 }), "1 s"),
        (json!({ "code": 5 }), "`code` must be text"),
        (json!({}), "missing field `code`"),
        (json!({ "code": "1", "seesion": "s" }), "unknown field `seesion`"),
        (json!({ "code": "1", "session": "abc" }), "`session`: \"abc\" is no session"),
        (json!({ "code": "1", "session": format!("s_{}", "0".repeat(32)) }), "there is no session"),
        (json!({ "code": "1", "timeout": 0.2 }), "`timeout` must be"),
        (json!({ "code": "" }), "`code` is empty"),
    ];
    for (arguments, words) in cases {
        let result = client.run(arguments.clone());
        assert_eq!(result["isError"], json!(true), "{arguments}: {result}");
        assert!(text(&result).contains(words), "{arguments}: {}", text(&result));
    }
    let unknown = client.ask("tools/call", json!({ "name": "get_devices", "arguments": {} }));
    let words = unknown["error"]["message"].as_str().unwrap();
    assert!(words.contains("there is no tool"), "{words}");
    assert!(words.contains("from servers.data import get_devices"), "{words}");
}

#[test]
fn lists_and_refusals_name_the_servers_that_did_not_answer() {
    let folder = tempfile::tempdir().unwrap();
    let own = env!("CARGO_BIN_EXE_tidegate");
    let config = format!(
        "[servers.data]\ncommand = {own:?}\nargs = [\"example-server\", \"data\"]\n\
         [servers.dead]\ncommand = \"/nowhere/at/all\"\n"
    );
    std::fs::write(folder.path().join("tidegate.toml"), config).unwrap();
    let mut client = Client::configured_in(folder.path(), &["--mode", "direct"]);
    client.shake_hands(&["direct"]);
    // Servers have a moment to start, which may be too short on a busy machine.
    let listed = (0..60).find_map(|_| {
        let listed = client.ask("tools/list", json!({}))["result"].clone();
        (listed["tools"].as_array()?.len() == 3).then_some(listed)
    });
    let listed = listed.expect("the server that is there is listed");
    let missing = listed["_meta"]["tidegate/missing"][0].as_str().unwrap_or_default();
    assert!(missing.starts_with("dead "), "{listed}");
    let unknown = client.ask("tools/call", json!({ "name": "nothing", "arguments": {} }));
    let words = unknown["error"]["message"].as_str().unwrap();
    assert!(words.contains("there is no tool \"nothing\"") && words.contains("; dead "), "{words}");
    drop(client);
    let mut client = Client::configured_in(folder.path(), &[]);
    client.shake_hands(&[]);
    let listed = text(&client.run(json!({ "code": "list_directory('servers/')" })));
    assert!(listed.contains("data/") && !listed.contains(".absent"), "{listed}");
    assert!(listed.contains("list_directory(): dead is missing: "), "{listed}");
}

#[test]
fn what_is_null_was_left_out_and_a_whole_number_may_have_a_point() {
    let mut client = Client::initialized(&[]);
    let nothing = json!({
        "query": "devices", "detail_level": null, "server": null, "limit": 2.0,
    });
    let found = client.call("search_tools", nothing);
    assert_eq!(found["structuredContent"]["tools"][0]["name"], "get_devices", "{found}");
    assert!(found["structuredContent"]["tools"].as_array().unwrap().len() <= 2, "{found}");
    let given = json!({
        "code": "1 + 1", "session": null, "context": null, "timeout": null, "resume_from": null,
        "output_strategy": null, "max_output_tokens": 60.0,
    });
    let ran = client.run(given);
    assert_eq!(ran["structuredContent"]["return_value"], 2, "{ran}");
    let wrong = client.call("search_tools", json!({ "query": "x", "max_results": 5 }));
    assert!(text(&wrong).contains("there is no argument `max_results`"), "{wrong}");
}

#[test]
fn a_client_that_goes_leaves_what_runs_to_its_end_and_what_waits_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tidegate.toml"), "").unwrap();
    let mut client = Client::configured_in(folder.path(), &["--durable"]);
    client.shake_hands(&[]);
    let kept = client.run(json!({ "code": "kept = 42" }))["structuredContent"]["session"].clone();
    let waits = "import asyncio\nprint('begun')\nawait asyncio.sleep(600)";
    let runs = "n = 0\nfor i in range(3_000_000):\n    n += i\nn";
    let call = |code: &str| json!({ "name": "execute_python", "arguments": { "code": code } });
    client.send("tools/call", call(waits));
    let runs = client.send("tools/call", call(runs));
    let begun = std::time::Instant::now();
    drop(client.input.take());
    let answer = client.hear(runs)["result"].clone();
    assert_eq!(answer["structuredContent"]["return_value"], 4_499_998_500_000_u64, "{answer}");
    assert!(client.child.wait().unwrap().success());
    // It did not wait for what waits, and did not end it either.
    assert!(begun.elapsed() < std::time::Duration::from_secs(300));
    drop(client);
    let log = tidegate(folder.path()).args(["audit", "search", "--json"]).output().unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    let of = |kind: &str| log.lines().filter(|line| line.contains(kind)).count();
    assert_eq!((of("\"run_started\""), of("\"run_ended\"")), (3, 2), "{log}");
    let mut next = Client::configured_in(folder.path(), &["--durable"]);
    next.shake_hands(&[]);
    let found = next.run(json!({ "code": "kept", "session": kept }));
    assert_eq!(found["structuredContent"]["return_value"], 42, "{found}");
}

#[test]
fn what_a_program_prints_is_told_while_it_runs() {
    let mut client = Client::initialized(&[]);
    client.run(json!({ "code": "1" }));
    let code = "import asyncio\nprint('half')\nawait asyncio.sleep(0.2)\nprint('whole')";
    let params = json!({
        "name": "execute_python", "arguments": { "code": code },
        "_meta": { "progressToken": "t" },
    });
    let result = client.ask("tools/call", params)["result"].clone();
    assert!(text(&result).contains("half\nwhole"));
    let told: String = client
        .heard
        .iter()
        .filter(|note| note["method"] == "notifications/progress")
        .map(|note| note["params"]["message"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, "half\nwhole\n");
}

#[test]
fn what_a_program_waits_for_is_told_while_it_waits() {
    let mut client = Client::initialized(&[]);
    let params = json!({
        "name": "execute_python", "arguments": { "code": "import asyncio\nawait asyncio.sleep(3)" },
        "_meta": { "progressToken": "t" },
    });
    client.ask("tools/call", params);
    let told = client.heard.iter().filter(|note| note["method"] == "notifications/progress");
    let told: Vec<&str> =
        told.map(|note| note["params"]["message"].as_str().unwrap_or_default()).collect();
    assert!(told.len() == 1 && told[0].starts_with("sleeps since"), "{told:?}");
}

#[test]
fn asked_to_end_it_answers_what_runs_and_ends() {
    let mut client = Client::initialized(&[]);
    client.run(json!({ "code": "1" }));
    let params = json!({
        "name": "execute_python",
        "arguments": { "code": "import asyncio\nawait asyncio.sleep(0.5)\n'done'" },
    });
    let id = client.send("tools/call", params);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let child = client.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &child]).status().unwrap().success());
    assert!(text(&client.hear(id)["result"]).contains("done"));
    // Its standard input is still open.
    assert!(client.child.wait().unwrap().success());
}

#[test]
fn a_cancelled_call_stops_its_program() {
    let mut client = Client::initialized(&[]);
    let session = client.run(json!({ "code": "x = 1" }))["structuredContent"]["session"].clone();
    let endless = json!({ "code": "while True: x += 1", "session": session });
    let id = client.send("tools/call", json!({ "name": "execute_python", "arguments": endless }));
    std::thread::sleep(std::time::Duration::from_millis(300));
    client.tell(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    // Were it still running, this would wait until its time is over.
    let after = client.run(json!({ "code": "x", "session": session }));
    assert_eq!(after["structuredContent"]["return_value"], 1, "{after}");
}

#[test]
fn a_figure_is_a_picture_and_a_resource() {
    let mut client = Client::initialized(&[]);
    let code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n'drawn'";
    let result = client.run(json!({ "code": code }));
    assert_eq!(result["content"][1]["type"], "image");
    assert_eq!(result["content"][1]["mimeType"], "image/png");
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uri = listed[0]["uri"].clone();
    let read = client.ask("resources/read", json!({ "uri": uri }))["result"].clone();
    assert_eq!(read["contents"][0]["blob"], result["content"][1]["data"]);
    let missing = json!({ "uri": "tidegate://runs/r_1/artifacts/x" });
    assert!(client.ask("resources/read", missing)["error"]["message"].is_string());
}

#[test]
fn a_skill_is_a_resource_and_is_found_by_a_search() {
    let mut client = Client::initialized(&[]);
    let code = "def twice(n: int) -> int:\n    'Twice a number.'\n    return 2 * n\nawait save_skill('twice', twice, examples=[{'n': 4}])";
    let saved = client.run(json!({ "code": code }));
    assert_eq!(saved["structuredContent"]["return_value"]["name"], "twice", "{saved}");
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uri = json!("tidegate://skills/twice");
    assert!(listed.as_array().unwrap().iter().any(|one| one["uri"] == uri), "{listed}");
    let read = client.ask("resources/read", json!({ "uri": uri }))["result"].clone();
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("return 2 * n"), "{read}");
    let uri = json!("tidegate://skills/twice_v1");
    let first = client.ask("resources/read", json!({ "uri": uri }))["result"].clone();
    assert_eq!(first["contents"][0]["text"], read["contents"][0]["text"], "{first}");
    let missing = json!({ "uri": "tidegate://skills/twice_v2" });
    assert!(client.ask("resources/read", missing)["error"]["message"].is_string());
    let missing = json!({ "uri": "tidegate://skills/../other" });
    assert!(client.ask("resources/read", missing)["error"]["message"].is_string());
    let found = client.call("search_tools", json!({ "query": "twice a number" }));
    assert!(text(&found).contains("from skills import twice  # a skill"), "{found}");
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let mut client = Client::start(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let found = client.ask("server/discover", json!({ "_meta": meta }));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let tools = client.ask("tools/list", json!({ "_meta": meta }));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 2);
    let call = json!({
        "_meta": meta, "name": "search_tools", "arguments": { "query": "devices" },
    });
    let found = client.ask("tools/call", call);
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
}

#[test]
fn chosen_tools_are_passed_through_and_in_direct_mode_all_are() {
    let mut client = Client::initialized(&["--direct", "data.get_devices"]);
    let names = |client: &mut Client| {
        let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
        let names = tools.as_array().unwrap().iter().map(|tool| tool["name"].clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&mut client), ["execute_python", "search_tools", "get_devices"]);
    let devices = client.call("get_devices", json!({}));
    assert_eq!(devices["structuredContent"]["count"], 99);
    let mut client = Client::initialized(&["--mode", "direct"]);
    assert_eq!(names(&mut client), ["get_devices", "query_device_history", "search_events"]);
    let mut client = Client::initialized(&["--tools", "execute_python"]);
    assert_eq!(names(&mut client), ["execute_python"]);
}

#[test]
fn a_tool_to_pass_through_that_is_misspelt_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let own = env!("CARGO_BIN_EXE_tidegate");
    let server =
        format!("[servers.data]\ncommand = {own:?}\nargs = [\"example-server\", \"data\"]\n");
    std::fs::write(folder.path().join("tidegate.toml"), server).unwrap();
    let mut command = tidegate(folder.path());
    command.args(["mcp", "--direct", "data.get_device,data.get_devices"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let said = BufReader::new(child.stderr.take().unwrap());
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in said.lines().map_while(Result::ok).filter(|line| line.contains("`direct`")) {
            let _ = tell.send(line);
        }
    });
    let told = told.recv_timeout(std::time::Duration::from_secs(60));
    let _ = child.kill();
    let _ = child.wait();
    let told = told.unwrap();
    assert!(told.contains("data.get_device is no tool"), "{told}");
    assert!(told.contains("did you mean `get_devices`?"), "{told}");
}

#[test]
fn nonsense_on_the_wire_ends_nothing() {
    let mut client = Client::initialized(&[]);
    for line in
        ["", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}", "\u{7f}\u{1}", "{\"id\":[[[[1]]]]}"]
    {
        let input = client.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }
    client.tell(&json!({ "jsonrpc": "2.0", "id": 900, "method": "no/such", "params": {} }));
    assert!(client.hear(900)["error"]["code"].is_i64());
    assert_eq!(client.run(json!({ "code": "1 + 1" }))["structuredContent"]["return_value"], 2);
}

#[test]
fn programs_for_one_session_run_in_the_order_in_which_they_came() {
    let mut client = Client::initialized(&[]);
    let session = client.run(json!({ "code": "x = 0" }))["structuredContent"]["session"].clone();
    let call = |code: &str| json!({ "name": "execute_python", "arguments": { "code": code, "session": session } });
    for round in 1..=20 {
        client.send("tools/call", call("import time\ntime.sleep(0.02)\nx += 1"));
        let read = client.send("tools/call", call("x"));
        let answer = client.hear(read);
        assert_eq!(answer["result"]["structuredContent"]["return_value"], round, "{answer}");
    }
}

#[test]
fn a_message_that_is_too_long_is_answered() {
    let mut client = Client::initialized(&[]);
    let long = json!({ "code": "1", "context": { "a": "x".repeat(17 << 20) } });
    let answer = client.ask("tools/call", json!({ "name": "execute_python", "arguments": long }));
    let words = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(words.contains("more than 16777216 bytes"), "{words}");
    let next = client.run(json!({ "code": "6 * 7" }));
    assert_eq!(next["structuredContent"]["return_value"], 42);
}

#[test]
fn a_client_beside_another_finds_its_session_again_when_it_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    let first = Client::within(folder.path());
    let mut second = Client::within(folder.path());
    let made = second.run(json!({ "code": "kept = 42" }));
    let session = made["structuredContent"]["session"].clone();
    second.run(json!({ "code": "kept", "session": session }));
    drop(second);
    drop(first);
    let mut alone = Client::within(folder.path());
    let found = alone.run(json!({ "code": "kept", "session": session }));
    assert_eq!(found["structuredContent"]["return_value"], 42, "{found}");
}

#[test]
fn a_tool_that_is_held_back_can_be_called_once_somebody_has_accepted_it_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let version = folder.path().join("version");
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/untold.py");
    let config = format!(
        "[servers.untold]\ncommand = \"python3\"\nargs = [{server:?}]\nenv.VERSION = {version:?}\npin = true\n"
    );
    std::fs::write(folder.path().join("tidegate.toml"), config).unwrap();
    let program = json!({ "code": "from servers.untold import list_orders\nlen((await list_orders())['orders'])" });
    let connected = || {
        let mut client = Client::configured_in(folder.path(), &[]);
        client.shake_hands(&[]);
        client
    };
    std::fs::write(&version, "1").unwrap();
    let first = connected().run(program.clone());
    assert_ne!(first["isError"], true, "{first}");

    std::fs::write(&version, "2").unwrap();
    let mut client = connected();
    let held = client.run(program.clone());
    assert!(text(&held).contains("is held back because its definition changed"), "{held}");
    let accepted = tidegate(folder.path()).args(["tools", "accept", "untold"]).output().unwrap();
    assert!(accepted.status.success(), "{accepted:?}");
    let now = client.run(program);
    assert_ne!(now["isError"], true, "{now}");
}

#[test]
fn what_every_client_ran_is_in_the_figures() {
    let folder = tempfile::tempdir().unwrap();
    let stats = |arguments: &[&str]| {
        let said = Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .arg("stats")
            .args(arguments)
            .env("TIDEGATE_DATA", folder.path())
            .output()
            .unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    };
    assert_eq!(stats(&[]), "");
    let mut clients = [Client::within(folder.path()), Client::within(folder.path())];
    let runs = clients.each_mut().map(|client| client.run(json!({ "code": "return 1" })));
    // A client that has gone has stored all that it ran.
    drop(clients);
    let all: Value = serde_json::from_str(&stats(&["--json"])).unwrap();
    assert_eq!((&all["total_executions"], &all["success_rate"]), (&json!(2), &json!(1.0)), "{all}");
    let saved = |run: &Value| run["structuredContent"]["tokens_saved"].as_i64().unwrap();
    assert_eq!(all["total_tokens_saved"], runs.iter().map(saved).sum::<i64>(), "{all}");
    for run in &runs {
        let receipt =
            stats(&["--json", "--run", run["structuredContent"]["run_id"].as_str().unwrap()]);
        let receipt: Value = serde_json::from_str(&receipt).unwrap();
        assert_eq!(receipt, run["_meta"]["tidegate/receipt"], "{run}");
    }
}
