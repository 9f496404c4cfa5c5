//! Calls that somebody has to approve, asked about through the client of the run.
//!
//! A client of the newest revision gets the question as its result and repeats the call with the answer; an
//! older one is asked while its call waits; one that knows neither is told where a person can answer. Only a
//! caller who may approve is asked this way: a token that may run programs and nothing else cannot let its own
//! calls through.

use std::fmt::Write as _;

use gateway::service::approvals::{Answer, Group};
use gateway::service::ids::RunId;
use gateway::service::run::Run;
use gateway::service::{Caller, Scope};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, InputRequests, InputRequiredResult,
    InputResponses,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::relay::{ask, is_modern, read};
use super::{Mcp, caller};

/// What the question is called among those of one result.
const KEY: &str = "approval";
/// Calls whose arguments are shown.
const SHOWN: usize = 20;
/// Letters of one argument that are shown.
const LETTERS: usize = 120;

/// What becomes of a call whose run waits for an approval.
pub(super) enum Next {
    /// It was answered, and the run goes on.
    Wait,
    /// The client is told this.
    Tell(Box<CallToolResponse>),
}

impl Mcp {
    /// Asks the client of a run about calls that wait, as far as it can be asked.
    pub(super) async fn ask_about(
        &self,
        run: &Run,
        groups: &[Group],
        context: &RequestContext<RoleServer>,
    ) -> Next {
        if !can_be_asked(context) {
            return Next::Tell(Box::new(self.where_to_answer(run, groups).into()));
        }
        if is_modern(context) {
            let question = json!({
                "resultType": "input_required",
                "inputRequests": { KEY: { "method": "elicitation/create", "params": question(groups) } },
                "requestState": state(run.id(), groups),
            });
            return match read::<InputRequiredResult>(question) {
                Ok(question) => Next::Tell(Box::new(question.into())),
                Err(_) => Next::Tell(Box::new(self.where_to_answer(run, groups).into())),
            };
        }
        match ask("elicitation/create", question(groups), context).await {
            Ok(answer) => {
                self.take(run.id(), groups, &answer, &caller(context)).await;
                Next::Wait
            }
            Err(_) => Next::Tell(Box::new(self.where_to_answer(run, groups).into())),
        }
    }

    /// Takes the answer that a client of the newest revision repeats its call with. The run that the call
    /// is about, if there is one.
    pub(super) async fn answered_call(
        &self,
        state: Option<&str>,
        responses: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Option<RunId> {
        let (id, shown) = state?.split_once('.')?;
        let id: RunId = id.parse().ok()?;
        // Only who may see the run goes on with it; whoever else wrote this state gets nothing.
        self.shared.service.run(&caller(context), &id).await.ok()?;
        if let Some(answer) = responses.and_then(|responses| responses.get(KEY)) {
            self.take_if_shown(&id, shown, answer, &caller(context)).await;
        }
        Some(id)
    }

    /// The same for a task.
    pub(super) async fn answered_task(
        &self,
        id: &RunId,
        responses: &InputResponses,
        caller: &Caller,
    ) {
        for (key, answer) in responses {
            if let Some(shown) = key.strip_prefix("approval-") {
                self.take_if_shown(id, shown, answer, caller).await;
            }
        }
    }

    /// What a task waits for, if that is somebody's approval and its client can be asked.
    pub(super) async fn questions(
        &self,
        id: &RunId,
        context: &RequestContext<RoleServer>,
    ) -> Option<InputRequests> {
        if !can_be_asked(context) {
            return None;
        }
        let caller = caller(context);
        let groups = self.shared.service.waiting_approvals(&caller, Some(id)).await.ok()?;
        if groups.is_empty() {
            return None;
        }
        let key = format!("approval-{}", digest(&groups));
        let request = json!({ "method": "elicitation/create", "params": question(&groups) });
        serde_json::from_value(json!({ key: request })).ok()
    }

    /// An answer counts for what was shown: if other calls wait by now, it is asked again.
    async fn take_if_shown(&self, id: &RunId, shown: &str, answer: &Value, caller: &Caller) {
        let waiting = self.shared.service.waiting_approvals(caller, Some(id)).await;
        let waiting = waiting.unwrap_or_default();
        if !waiting.is_empty() && digest(&waiting) == shown {
            self.take(id, &waiting, answer, caller).await;
        }
    }

    async fn take(&self, id: &RunId, groups: &[Group], answer: &Value, caller: &Caller) {
        let items = groups.iter().flat_map(|group| &group.items).map(|item| item.id.clone());
        let content = answer.get("content");
        let said = |key: &str| content.and_then(|content| content.get(key)?.as_str());
        let accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
        let decision = said("decision").filter(|_| accepted).unwrap_or("deny");
        let reason = said("reason").filter(|reason| !reason.trim().is_empty()).map(str::to_owned);
        let answer = Answer {
            approves: ["approve", "approve_session"].contains(&decision),
            items: Some(items.collect()),
            tool: None,
            pattern: (decision == "approve_session").then(Vec::new),
            reason,
            by: format!("{} (client)", caller.owner),
        };
        if let Err(refusal) = self.shared.service.answer_approvals(caller, id, answer).await {
            // It was answered elsewhere meanwhile.
            tracing::debug!(run = %id, error = %refusal, "an answer came too late");
        }
    }

    /// Says what waits and where a person can answer.
    pub(super) fn where_to_answer(&self, run: &Run, groups: &[Group]) -> CallToolResult {
        let (id, record) = (run.id(), run.record());
        let page = self.shared.address.get().map(|at| format!("{at}/approvals/{id}"));
        let place = match &page {
            Some(page) => format!("{page} (or `tidegate approvals approve {id}`)"),
            None => format!("`tidegate approvals approve {id}` in a terminal"),
        };
        let mut text = format!(
            "This program waits for somebody's approval:\n{}\nTell the user to decide at {place}. Then call this tool again with the same code and resume_from=\"{id}\": it waits for this run and gives its result; nothing is done twice.\n\nsession: {}",
            told(groups),
            record.session
        );
        text.truncate(text.floor_char_boundary(20_000));
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        let waits: Vec<Value> = groups
            .iter()
            .map(|group| json!({ "tool": group.tool, "count": group.items.len() }))
            .collect();
        result.structured_content = Some(json!({
            "success": false,
            "return_value": Value::Null,
            "stdout": "",
            "stderr": "",
            "error": Value::Null,
            "session": record.session,
            "run_id": id,
            "waiting_for_approval": { "calls": waits, "url": page },
        }));
        result
    }
}

/// Whether the client of a request can be asked, and its answer counts.
fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    let asks = context.client_capabilities().is_some_and(|has| has.elicitation.is_some());
    asks && caller(context).may(Scope::Approve)
}

/// The question to a person.
fn question(groups: &[Group]) -> Value {
    let all: usize = groups.iter().map(|group| group.items.len()).sum();
    let calls = if all == 1 { "this call" } else { "these calls" };
    json!({
        "mode": "form",
        "message": format!("A program wants to make {calls}:\n{}", told(groups)),
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": {
                    "type": "string",
                    "title": "Decision",
                    "description": "Approve these calls, approve such calls for the whole session, or deny them",
                    "enum": ["approve", "approve_session", "deny"],
                },
                "reason": { "type": "string", "title": "Reason", "description": "For the program, if you like" },
            },
            "required": ["decision"],
        },
    })
}

/// What waits, in words: `37 x github.create_issue`, with arguments.
fn told(groups: &[Group]) -> String {
    let mut text = String::new();
    for group in groups {
        let (count, tool) = (group.items.len(), &group.tool);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{count} x {tool}: {} ({})", group.reason, group.rule);
        for item in group.items.iter().take(SHOWN) {
            let _ = writeln!(text, "  - {}", arguments(&item.arguments));
        }
        if count > SHOWN {
            let _ = writeln!(text, "  ... and {} more", count - SHOWN);
        }
    }
    text
}

fn arguments(value: &Value) -> String {
    let none = Map::new();
    let fields = value.as_object().unwrap_or(&none).iter().map(|(name, value)| {
        let text = value.to_string();
        let cut: String = text.chars().take(LETTERS).collect();
        let more = if cut.len() < text.len() { "..." } else { "" };
        format!("{name}: {cut}{more}")
    });
    let all: Vec<String> = fields.collect();
    if all.is_empty() { "no arguments".to_owned() } else { all.join(", ") }
}

/// What comes back with the answer: the run, and what was shown. It is no secret and needs no seal: who
/// sends it has to own the run and be allowed to approve, and then may answer whatever waits.
fn state(run: &RunId, groups: &[Group]) -> String {
    format!("{run}.{}", digest(groups))
}

fn digest(groups: &[Group]) -> String {
    let mut ids: Vec<&str> =
        groups.iter().flat_map(|group| &group.items).map(|item| item.id.as_str()).collect();
    ids.sort_unstable();
    blake3::hash(ids.concat().as_bytes()).to_hex()[..32].to_owned()
}
