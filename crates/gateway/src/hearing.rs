//! Who hears what a run does while it does it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use engine::{CallResult, Host, HostCall, NoHost, Stream};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use upstream::TraceParent;

use crate::judge::{DENIED, NOT_APPROVED};
use crate::mailboxes::FULL;
use crate::service::durable::REFUSED;
use crate::tools::CALL;
use crate::veil::SECRET_REFUSED;
use crate::web;

/// Hears a run. Called on the guest's own thread or on one of the runtime's, so every method
/// must be quick.
pub trait Hearing: Send + Sync {
    /// The program wrote something.
    fn wrote(&self, _stream: Stream, _bytes: &[u8]) {}

    /// A call leaves.
    fn calls(&self, _note: &CallNote) {}

    /// A call has been answered.
    fn called(&self, _note: &CallNote) {}

    /// Nobody waits for the answer of a call any more.
    fn withdrawn(&self, _call: u64) {}

    /// The program rests until something it waits for has come, or goes on.
    fn rests(&self, _resting: bool) {}

    /// The span that a call is, where runs are traced.
    fn span(&self, _call: u64) -> Option<TraceParent> {
        None
    }

    /// Whether anybody wants to know of calls; noting them costs a little.
    fn notes_calls(&self) -> bool {
        false
    }
}

impl Hearing for NoHost {}

/// A host that hears what is written, and nothing else.
pub struct Written(pub Arc<dyn Host>);

impl Hearing for Written {
    fn wrote(&self, stream: Stream, bytes: &[u8]) {
        self.0.wrote(stream, bytes);
    }
}

/// What a call was for: tools may be called anything, so that a name does not say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A tool of a server.
    #[default]
    Tool,
    /// A request to a host.
    Web,
    /// Something that servers have besides tools, or that needs no server.
    Besides,
}

impl CallKind {
    fn of(call: &HostCall) -> Self {
        match call.name.as_str() {
            CALL => Self::Tool,
            web::CALL => Self::Web,
            _ => Self::Besides,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks in this way")]
    fn is_tool(&self) -> bool {
        *self == Self::Tool
    }
}

/// One host call of a run: whom it reached, how long it took, how much went to and fro.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own in what is stored")]
pub struct CallNote {
    /// Its number within the run.
    pub id: u64,
    /// The server that was asked, where the program named one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<String>,
    /// The tool, or what else was asked for (`$resource`).
    pub tool: String,
    /// Which of them that is.
    #[serde(skip_serializing_if = "CallKind::is_tool", default)]
    pub kind: CallKind,
    /// The name of the child that made it, where it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// When it left.
    pub started_at: SystemTime,
    /// How long it took; nothing while it is under way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took: Option<Duration>,
    /// Bytes of its arguments, as JSON.
    pub argument_bytes: u64,
    /// Bytes of its answer, as JSON.
    pub result_bytes: u64,
    /// Whether it was answered with a value; nothing while it is under way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ok: Option<bool>,
    /// There is no such tool or server, or it does not take that: nothing was sent.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unmade: bool,
    /// It was not made: its answer is that of an earlier one.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub reused: bool,
    /// It left, and its program was told that no answer came.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub lost: bool,
    /// It was carried out, and its program could not have the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub done: bool,
    /// A rule or a setting did not let it be made.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub denied: bool,
}

/// What a call fails with that a rule or a setting forbids.
const DENIALS: [&str; 3] = [NOT_ALLOWED, "Denied", "NotApproved"];

/// What a call fails with that reached no server.
const UNMADE: [&str; 9] = [
    "UnknownTool",
    "UnknownServer",
    "ArgumentError",
    UNSENT,
    DENIED,
    NOT_APPROVED,
    SECRET_REFUSED,
    NOT_ALLOWED,
    FULL,
];

/// Whether a call that failed so reached no server.
pub(crate) fn reached_nobody(kind: &str) -> bool {
    UNMADE.contains(&kind)
}

/// What a call fails with that was carried out, and whose answer is larger than programs may have.
pub(crate) const TOO_LARGE: &str = "TooLarge";

/// What a call fails with that never left for want of a connection or of a turn.
pub(crate) const UNSENT: &str = "NotSent";

/// What a call fails with that may not be made.
pub(crate) const NOT_ALLOWED: &str = "NotAllowed";

/// What a call fails with that left and was not answered.
pub(crate) const UNANSWERED: &str = "NotAnswered";

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was answered with a value.
    Committed,
    /// It was answered with an error.
    Failed,
    /// It left, and no answer came.
    Unknown,
    /// It never left.
    NotAttempted,
}

#[derive(Deserialize)]
struct Names<'call> {
    #[serde(borrow, default)]
    server: Option<Cow<'call, str>>,
    #[serde(borrow, default)]
    tool: Option<Cow<'call, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'call RawValue>,
}

/// Bytes of a tool's answer, without what says in which form it came.
fn answer_bytes(answer: &str) -> usize {
    // As `answer` writes it where one value says it all.
    let is_one = answer.starts_with("{\"v\":") || answer.starts_with("{\"t\":");
    if is_one { answer.len() - "{\"v\":}".len() } else { answer.len() }
}

impl CallNote {
    /// Which tool of which server: `server.tool`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}.{}", self.tool),
            None => self.tool.clone(),
        }
    }

    /// A call that leaves now.
    pub(crate) fn leaving(call: &HostCall) -> Self {
        let text = call.arguments.get();
        let names = serde_json::from_str::<Names<'_>>(text).ok();
        let kind = CallKind::of(call);
        let own = names.as_ref().and_then(|names| names.arguments);
        let arguments = own.filter(|_| kind == CallKind::Tool).map_or(text, RawValue::get);
        let (server, tool) = names.map_or((None, None), |names| (names.server, names.tool));
        let (server, tool) = match web::named(call) {
            Some(name) => (Some(web::SERVER.into()), Some(name.into())),
            None => (server, tool.filter(|_| kind == CallKind::Tool)),
        };
        Self {
            id: call.id.0,
            server: server.map(Cow::into_owned),
            tool: tool.map_or_else(|| call.name.clone(), Cow::into_owned),
            kind,
            agent: None,
            started_at: SystemTime::now(),
            took: None,
            argument_bytes: arguments.len() as u64,
            result_bytes: 0,
            ok: None,
            unmade: false,
            reused: false,
            lost: false,
            done: false,
            denied: false,
        }
    }

    /// What became of it, in a run that is over or not.
    #[must_use]
    pub fn fate(&self, run_is_over: bool) -> Option<Fate> {
        match self.ok {
            Some(true) => Some(Fate::Committed),
            _ if self.unmade => Some(Fate::NotAttempted),
            Some(false) if self.done => Some(Fate::Committed),
            Some(false) if self.lost => Some(Fate::Unknown),
            Some(false) => Some(Fate::Failed),
            None => run_is_over.then_some(Fate::Unknown),
        }
    }

    /// It left, and nobody waits for its answer any more.
    pub(crate) fn is_given_up(&mut self) {
        self.lost = true;
        self.ok = Some(false);
    }

    /// The same, answered.
    pub(crate) fn with(mut self, result: &CallResult, took: Duration) -> Self {
        self.took = Some(took);
        match &result.result {
            Ok(value) if self.kind == CallKind::Tool => {
                self.result_bytes = answer_bytes(value.get()) as u64;
            }
            Ok(value) => self.result_bytes = value.get().len() as u64,
            Err(error) if [UNANSWERED, REFUSED].contains(&error.kind.as_str()) => {
                self.lost = true;
            }
            Err(error) if error.kind == TOO_LARGE => self.done = true,
            Err(error) => {
                self.unmade = reached_nobody(&error.kind);
                self.denied = DENIALS.contains(&error.kind.as_str());
            }
        }
        self.ok = Some(result.result.is_ok());
        self
    }
}

#[cfg(test)]
mod tests {
    use engine::CallId;

    use super::*;

    #[test]
    fn what_a_tool_takes_and_gives_is_counted_without_our_envelope() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let arguments = raw(r#"{"server":"demo","tool":"wait","arguments":{"seconds":1}}"#);
        let call = HostCall { id: CallId(1), name: CALL.to_owned(), arguments };
        let note = CallNote::leaving(&call);
        assert_eq!(note.argument_bytes, r#"{"seconds":1}"#.len() as u64);
        for (answer, bytes) in [(r#"{"v":[1,2]}"#, 5), (r#"{"t":"done"}"#, 6)] {
            let result = CallResult { id: call.id, result: Ok(raw(answer)) };
            assert_eq!(note.clone().with(&result, Duration::ZERO).result_bytes, bytes);
        }
    }
}
