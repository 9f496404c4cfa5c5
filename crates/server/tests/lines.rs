//! The MCP door on a pair of streams, given anything.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::Language;
use gateway::service::store::Store;
use gateway::service::{Engines, Parts, Readiness, Service, Settings};
use gateway::{Memory, Tools};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use server::guidance::Guidance;
use server::mcp::{Mcp, McpOptions, Mode, Parting};
use server::{Servers, Shared};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::watch;
use upstream::Upstreams;

/// Longer than any answer takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_comes_the_next_good_request_is_answered(lines in vec(line(), 0..8), mode in mode()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let answered = tokio::time::timeout(PATIENCE, answered(mode, &lines)).await;
            assert!(answered.is_ok(), "no answer");
        });
    }
}

#[tokio::test]
async fn a_client_that_begins_with_a_notification_is_served_all_the_same() {
    let lines = [
        br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_vec(),
        b"\xff\xfe".to_vec(),
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_vec(),
    ];
    tokio::time::timeout(PATIENCE, answered(Mode::Code, &lines)).await.unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long_to_tell_what_it_was_is_answered_without_an_id() {
    let lines = [vec![b'x'; 17 << 20]];
    let is_nobodys = |message: &Value| message.get("id").is_none_or(Value::is_null);
    let heard = tokio::time::timeout(PATIENCE, heard(Mode::Code, &lines, is_nobodys));
    let error = &heard.await.unwrap()["error"];
    assert_eq!(error["code"], -32600, "{error}");
    assert!(error["message"].as_str().unwrap().contains("16777216 bytes"), "{error}");
}

#[tokio::test]
async fn what_is_no_json_is_answered_without_an_id() {
    let lines = [b"hello?".to_vec()];
    let is_nobodys = |message: &Value| message.get("id").is_none_or(Value::is_null);
    let heard = tokio::time::timeout(PATIENCE, heard(Mode::Code, &lines, is_nobodys));
    let error = &heard.await.unwrap()["error"];
    assert_eq!(error["code"], -32700, "{error}");
    assert!(error["message"].as_str().unwrap().contains("not JSON"), "{error}");
}

#[tokio::test]
async fn a_method_that_is_no_text_is_answered_with_its_id() {
    let lines = [br#"{"jsonrpc":"2.0","id":5,"method":5}"#.to_vec()];
    let heard = heard(Mode::Code, &lines, |message| message["id"] == 5);
    let heard = tokio::time::timeout(PATIENCE, heard).await.unwrap();
    // Before a conversation has begun, what it lacks besides may be told first.
    assert!([-32600, -32602].map(Some).contains(&heard["error"]["code"].as_i64()), "{heard}");
}

#[tokio::test]
async fn a_batch_is_answered_in_words() {
    let lines = [br#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#.to_vec()];
    let is_nobodys = |message: &Value| message.get("id").is_none_or(Value::is_null);
    let heard = tokio::time::timeout(PATIENCE, heard(Mode::Code, &lines, is_nobodys));
    let error = &heard.await.unwrap()["error"];
    assert!(error["message"].as_str().unwrap().contains("one by one"), "{error}");
}

#[tokio::test]
async fn a_batch_is_taken_apart_where_the_revision_has_them() {
    let params = json!({ "protocolVersion": "2025-03-26", "capabilities": {},
                         "clientInfo": { "name": "test", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let asked = json!([
        { "jsonrpc": "2.0", "id": 2, "method": "tools/list" },
        { "jsonrpc": "2.0", "id": 3, "method": "ping" },
    ]);
    for (id, found) in [(2, "/result/tools/0/name"), (3, "/result")] {
        let lines = [&hello, &told, &asked].map(|line| line.to_string().into_bytes());
        let heard = heard(Mode::Code, &lines, |message| message["id"] == id);
        let heard = tokio::time::timeout(PATIENCE, heard).await.unwrap();
        assert!(heard.pointer(found).is_some(), "{heard}");
    }
}

const GOOD: &str = "the good one";

/// Writes the lines and then a good request, and waits for the answer to that.
async fn answered(mode: Mode, lines: &[Vec<u8>]) {
    heard(mode, lines, |message| message["id"] == GOOD).await;
}

/// Writes the lines and then a good request, and waits for a message.
async fn heard(mode: Mode, lines: &[Vec<u8>], is_it: impl Fn(&Value) -> bool) -> Value {
    let folder = TempDir::new().unwrap();
    let mcp = Mcp::new(shared(&folder).await, McpOptions { mode, ..McpOptions::default() });
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let parting = Parting::default();
    let serving = tokio::spawn(mcp.serve(tokio::io::split(theirs), parting.clone()));
    let (reading, mut writing) = tokio::io::split(ours);
    for line in lines {
        writing.write_all(line).await.unwrap();
        writing.write_all(b"\n").await.unwrap();
    }
    let good = json!({ "jsonrpc": "2.0", "id": GOOD, "method": "ping" });
    writing.write_all(format!("{good}\n").as_bytes()).await.unwrap();
    let mut reading = BufReader::new(reading).lines();
    while let Some(line) = reading.next_line().await.unwrap() {
        let message: Value = serde_json::from_str(&line).unwrap();
        if is_it(&message) {
            parting.ending.cancel();
            serving.await.unwrap().unwrap();
            return message;
        }
    }
    panic!("it ended: {:?}", serving.await);
}

/// A service without a runtime, which no message needs.
async fn shared(folder: &TempDir) -> Shared {
    let upstreams = Upstreams::new(Vec::new(), upstream::Options::default());
    let stage = "compiling".to_owned();
    let readiness = Readiness::Installing { percent: 40, stage };
    let told = watch::Sender::new(readiness).subscribe();
    let parts = Parts {
        engines: Engines::default().with(Language::Python, told),
        tools: Tools::new(upstreams, BTreeMap::new(), Memory::none()),
        checks: None,
        store: Store::open(folder.path()).await.unwrap(),
        guidance: "1".to_owned(),
        spans: None,
        trail: None,
        watching: None,
    };
    let service = Service::open(Settings::default(), parts).await.unwrap();
    Shared {
        service,
        guidance: Arc::new(Guidance::default()),
        servers: Arc::new(Nobody),
        address: Arc::default(),
    }
}

struct Nobody;

#[async_trait]
impl Servers for Nobody {
    async fn add(&self, _: &str, _: Value) -> Result<(), String> {
        Err("nobody adds servers here".to_owned())
    }

    async fn remove(&self, _: &str) -> Result<bool, String> {
        Ok(false)
    }
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Code), Just(Mode::Hybrid), Just(Mode::Direct)]
}

/// Bytes, JSON, and what is nearly a message.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let bytes = vec(any::<u8>(), 0..60).prop_map(|mut bytes| {
        bytes.retain(|byte| *byte != b'\n');
        bytes
    });
    let answer = (id(), json()).prop_map(|(id, value)| {
        json!({ "jsonrpc": "2.0", "id": id, "result": value }).to_string().into_bytes()
    });
    let cut = (message(), 0..80_usize).prop_map(|(mut line, end)| {
        line.truncate(end);
        line
    });
    prop_oneof![2 => bytes, 6 => message(), 2 => answer, 2 => cut, 1 => json().prop_map(|value| value.to_string().into_bytes())]
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let parts = (id(), method(), json(), any::<bool>());
    parts.prop_map(|(id, method, params, is_request)| {
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if is_request {
            message["id"] = id;
        }
        message.to_string().into_bytes()
    })
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
        Just(Value::Null),
        Just(json!(1.5)),
        Just(json!([1])),
    ]
}

fn method() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
        "no/such",
        "",
    ])
}

fn json() -> impl Strategy<Value = Value> {
    let key = proptest::sample::select(vec![
        "_meta",
        "name",
        "arguments",
        "uri",
        "cursor",
        "ref",
        "level",
        "notifications",
        "requestState",
        "inputResponses",
        "protocolVersion",
        "capabilities",
        "clientInfo",
        "requestId",
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientCapabilities",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        proptest::sample::select(vec![
            "execute_python",
            "search_tools",
            "2026-07-28",
            "2025-11-25"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key.clone(), inner), 0..5).prop_map(|fields| {
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}
