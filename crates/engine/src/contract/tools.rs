//! The tools that programs of the suite call.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::call::{CallError, CallResult, HostCall};
use crate::guest::Host;
use crate::session::Calls;

/// Answers quick tools inside the step.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolHost;

impl Host for ToolHost {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        if is_slow(call) || call.name == "never" {
            return None;
        }
        Some(quick(call))
    }
}

/// Answers all tools, one at a time, outside the step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tools;

#[async_trait]
impl Calls for Tools {
    async fn call(&self, call: HostCall) -> CallResult {
        if call.name == "never" {
            return std::future::pending().await;
        }
        if is_slow(&call) {
            tokio::time::sleep(delay(&call)).await;
        }
        quick(&call)
    }
}

/// Whether a call is answered only after the program has come to rest.
fn is_slow(call: &HostCall) -> bool {
    call.name == "later" || call.name == "$call" && arguments(call)["tool"] == "slow"
}

/// Takes one call out of `pending` and answers it; none when the clock comes first.
///
/// The newest call goes first, so that answers come in another order than calls.
pub(super) async fn answer_one(
    pending: &mut Vec<HostCall>,
    wake_at: Option<SystemTime>,
) -> Vec<CallResult> {
    if let Some(index) = pending.iter().rposition(|call| call.name != "never") {
        return vec![quick(&pending.remove(index))];
    }
    let wake = wake_at
        .and_then(|moment| moment.duration_since(SystemTime::now()).ok())
        .unwrap_or_default();
    tokio::time::sleep(wake).await;
    Vec::new()
}

fn arguments(call: &HostCall) -> Value {
    serde_json::from_str(call.arguments.get()).unwrap_or(Value::Null)
}

fn delay(call: &HostCall) -> Duration {
    let arguments = arguments(call);
    let wanted = arguments["ms"].as_u64().or_else(|| arguments["arguments"]["ms"].as_u64());
    Duration::from_millis(wanted.unwrap_or(1).min(10_000))
}

fn quick(call: &HostCall) -> CallResult {
    let arguments = arguments(call);
    match call.name.as_str() {
        "echo" | "later" => CallResult::ok(call.id, call.arguments.clone()),
        "$call" => tool(call, &arguments),
        "$resources" | "$resource" | "$prompts" | "$prompt" => {
            answered(call, &json!({"v": {"asked": call.name, "with": arguments}}))
        }
        "$search" => {
            let tool = json!({"name": "get_devices", "server": "demo"});
            answered(call, &json!({"tools": [tool], "matching": 3, "total": 8, "asked": arguments}))
        }
        "add" => match (arguments["a"].as_i64(), arguments["b"].as_i64()) {
            (Some(a), Some(b)) => answered(call, &json!(a.saturating_add(b))),
            _ => CallResult::failed(call.id, "add takes the integers a and b"),
        },
        "fail" => CallResult::failed(call.id, arguments["message"].as_str().unwrap_or("it failed")),
        "blob" => {
            let size = arguments["size"].as_u64().unwrap_or(0).min(256 << 20);
            answered(call, &json!("x".repeat(usize::try_from(size).unwrap_or(0))))
        }
        name => CallResult::failed(call.id, format!("there is no tool called {name:?}")),
    }
}

/// The tools of the servers whose bindings are in `cases/tools/_servers`: what they answer,
/// the way a gateway puts it.
fn tool(call: &HostCall, asked: &Value) -> CallResult {
    let given = &asked["arguments"];
    let failed = |kind: &str, message: &str| CallResult {
        id: call.id,
        result: Err(CallError { kind: kind.to_owned(), message: message.to_owned() }),
    };
    match asked["tool"].as_str().unwrap_or_default() {
        "get_devices" => {
            let devices = json!([{"name": "lamp", "on": true}, {"name": "door", "on": false}]);
            answered(call, &json!({"v": {"count": 2, "devices": devices}}))
        }
        "answer" => answered(call, &given["answer"]),
        "fail" => failed(
            given["kind"].as_str().unwrap_or("ToolError"),
            given["message"].as_str().unwrap_or("it failed"),
        ),
        "echo" | "slow" | "search" | "anything" => answered(call, &json!({"v": given})),
        "createIssue" | "getDocument" | "get_current_time" => answered(call, &json!({"v": asked})),
        name => failed("UnknownTool", &format!("there is no tool called {name:?}")),
    }
}

fn answered(call: &HostCall, value: &Value) -> CallResult {
    match serde_json::value::to_raw_value(value) {
        Ok(value) => CallResult::ok(call.id, value),
        Err(error) => CallResult::failed(call.id, error.to_string()),
    }
}
