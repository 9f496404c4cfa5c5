//! One example of a skill: its calls are answered with what is recorded, in a guest of its own.
//!
//! What is not recorded is refused, except where an example is recorded for the first time: then tools of which the
//! operator or their server says that they only read are called once, on behalf of whoever saves the skill.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use engine::{CallError, CallId, CallResult, Calls, Host, HostCall};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use skills::{Answer, Recorded};

use super::calls::{SEARCH, USED};
use crate::desk::Desk;
use crate::tools::{CALL, Offer};

/// What a call fails with that an example does not have.
const UNRECORDED: &str = "SkillError";

/// Who answers the calls of an example.
pub(super) struct Rehearsal {
    desk: Arc<Desk>,
    offer: Arc<Offer>,
    records: bool,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    /// Answers that no call has had yet.
    left: Vec<Recorded>,
    /// Calls that were made, and have no answer yet.
    under_way: HashMap<CallId, (String, Map<String, Value>)>,
    /// What every call was answered with, in that order.
    answered: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    server: Option<String>,
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl Rehearsal {
    /// Answers with `results`, and where it `records`, with what tools say that only read.
    pub(super) fn new(
        desk: Arc<Desk>,
        offer: Arc<Offer>,
        results: &[Recorded],
        records: bool,
    ) -> Arc<Self> {
        let noted = Noted { left: results.to_vec(), ..Noted::default() };
        Arc::new(Self { desk, offer, records, noted: Mutex::new(noted) })
    }

    /// What every call was answered with.
    pub(super) fn answered(&self) -> Vec<Recorded> {
        std::mem::take(&mut self.noted().answered)
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a call, unless it is to be made.
    fn known(&self, call: &HostCall) -> Option<CallResult> {
        let result = match call.name.as_str() {
            CALL => return self.tool(call),
            // What an example calls is nobody's use.
            USED => Ok(RawValue::NULL.to_owned()),
            SEARCH | "$search" | "$summarize" => return None,
            _ => {
                Err(unrecorded("an example of a skill can call tools, and nothing else out there"))
            }
        };
        Some(CallResult { id: call.id, result })
    }

    fn tool(&self, call: &HostCall) -> Option<CallResult> {
        let mut noted = self.noted();
        if noted.under_way.contains_key(&call.id) {
            return None;
        }
        let answered = |result| Some(CallResult { id: call.id, result });
        let asked: Asked = match serde_json::from_str(call.arguments.get()) {
            Ok(asked) => asked,
            Err(error) => {
                return answered(Err(unrecorded(&format!("a call names a tool: {error}"))));
            }
        };
        let catalog = self.offer.widest();
        let tool = catalog.resolve(asked.server.as_deref(), &asked.tool).ok();
        let name = match tool {
            Some(tool) => format!("{}.{}", tool.server(), tool.name()),
            None => match &asked.server {
                Some(server) => format!("{server}.{}", asked.tool),
                None => asked.tool.clone(),
            },
        };
        if let Some(tool) = tool
            && let Err(mistake) = tool.check(&Value::Object(asked.arguments.clone()))
        {
            let (kind, message) = ("ArgumentError".to_owned(), mistake.to_string());
            return answered(Err(CallError { kind, message }));
        }
        let fits = |one: &Recorded| one.tool == name && one.arguments == asked.arguments;
        if let Some(at) = noted.left.iter().position(fits) {
            let one = noted.left.remove(at);
            let result = match &one.answer {
                Answer::Result(value) => {
                    to_raw_value(value).map_err(|error| unrecorded(&error.to_string()))
                }
                Answer::Error(message) => {
                    Err(CallError { kind: "ToolError".to_owned(), message: message.clone() })
                }
            };
            noted.answered.push(one);
            return answered(result);
        }
        if !self.records {
            return answered(Err(unrecorded(&format!(
                "the example has no recorded answer of {name} to these arguments"
            ))));
        }
        let tools = self.offer.tools();
        let reads = tool.is_some_and(|tool| {
            tools.said(tool.server(), tool.tool()).annotations.read_only_hint == Some(true)
        });
        if !reads {
            return answered(Err(unrecorded(&format!(
                "nobody says of {name} that it only reads, so an example does not call it; say what it answers: \
                 'results': [{{'tool': {name:?}, 'arguments': {{...}}, 'result': ...}}]"
            ))));
        }
        noted.under_way.insert(call.id, (name, asked.arguments));
        None
    }

    /// Writes down what a call was answered with.
    fn hear(&self, result: &CallResult) {
        let mut noted = self.noted();
        let Some((tool, arguments)) = noted.under_way.remove(&result.id) else { return };
        let answer = match &result.result {
            Ok(value) => serde_json::from_str(value.get()).map(Answer::Result).ok(),
            Err(error) if error.kind == "ToolError" => Some(Answer::Error(error.message.clone())),
            // Nobody wants that again.
            Err(_) => None,
        };
        if let Some(answer) = answer {
            noted.answered.push(Recorded { tool, arguments, answer });
        }
    }
}

impl Host for Rehearsal {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        if let Some(result) = self.known(call) {
            return Some(result);
        }
        self.desk.answer(call).inspect(|result| self.hear(result))
    }

    fn wait(&self, deadline: Instant) -> Vec<CallResult> {
        let results = self.desk.wait(deadline);
        for result in &results {
            self.hear(result);
        }
        results
    }
}

#[async_trait]
impl Calls for Rehearsal {
    async fn call(&self, call: HostCall) -> CallResult {
        if let Some(result) = self.known(&call) {
            return result;
        }
        let result = Calls::call(&*self.desk, call).await;
        self.hear(&result);
        result
    }
}

fn unrecorded(message: &str) -> CallError {
    CallError { kind: UNRECORDED.to_owned(), message: message.to_owned() }
}
