//! The tools that programs of the suite call.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::call::{CallResult, HostCall};
use crate::guest::Host;
use crate::session::Calls;

/// Answers quick tools inside the step.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolHost;

impl Host for ToolHost {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        if matches!(call.name.as_str(), "later" | "never") {
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
        match call.name.as_str() {
            "never" => std::future::pending().await,
            "later" => {
                tokio::time::sleep(delay(&call)).await;
                answered(&call, &arguments(&call))
            }
            _ => quick(&call),
        }
    }
}

/// Takes one call out of `pending` and answers it; none when the clock comes first.
///
/// The newest call goes first, so that answers come in another order than calls.
pub(super) async fn answer_one(
    pending: &mut Vec<HostCall>,
    wake_at: Option<SystemTime>,
) -> Vec<CallResult> {
    if let Some(index) = pending.iter().rposition(|call| call.name != "never") {
        let call = pending.remove(index);
        return vec![if call.name == "later" {
            answered(&call, &arguments(&call))
        } else {
            quick(&call)
        }];
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
    Duration::from_millis(arguments(call)["ms"].as_u64().unwrap_or(1).min(10_000))
}

fn quick(call: &HostCall) -> CallResult {
    let arguments = arguments(call);
    match call.name.as_str() {
        "echo" => CallResult::ok(call.id, call.arguments.clone()),
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

fn answered(call: &HostCall, value: &Value) -> CallResult {
    match serde_json::value::to_raw_value(value) {
        Ok(value) => CallResult::ok(call.id, value),
        Err(error) => CallResult::failed(call.id, error.to_string()),
    }
}
