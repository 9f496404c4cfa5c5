//! Calls that wait for somebody's approval: seen in groups, answered once.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use gateway::service::Record;
use gateway::service::approvals::{Answer, Group, done};
use gateway::service::ids::RunId;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Door;
use super::access::{Approver, Follower};
use super::given::{At, Body, Fields, Parameters};
use super::moment;
use super::problem::{ErrorBody, Problem};

/// Items of one answer.
const MOST_ITEMS: usize = 10_000;

/// Calls that wait for an answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Approvals)]
pub(crate) struct Waiting {
    /// One question for each tool of each run.
    approvals: Vec<GroupShown>,
}

/// Calls of one run to one tool, asked about together.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Approval)]
pub(crate) struct GroupShown {
    /// The run that waits.
    run_id: String,
    /// Its session.
    session: String,
    /// Whose it is.
    owner: String,
    /// The tool, as `server.tool`.
    tool: String,
    /// How many calls wait.
    count: usize,
    /// The rule that wants somebody asked.
    rule: String,
    /// Why, in words.
    reason: String,
    /// Since when the first of them waits.
    #[schema(format = DateTime)]
    asked_at: String,
    /// When it can no longer be answered.
    #[schema(format = DateTime)]
    expires_at: String,
    /// The calls.
    items: Vec<ItemShown>,
    /// What the run has done so far: calls that were answered, by tool.
    done: BTreeMap<String, u64>,
}

/// One call that waits.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApprovalItem)]
pub(crate) struct ItemShown {
    /// What it is called.
    id: String,
    /// Which question of its run it is, from 1; it stays the same.
    number: u64,
    /// With what the tool would be called.
    #[schema(value_type = Object)]
    arguments: serde_json::Value,
}

/// What somebody says about calls that wait.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApprovalAnswer)]
#[expect(dead_code, reason = "says in the API's description what is read")]
pub(crate) struct AnswerGiven {
    /// Whether they may be made.
    decision: Decided,
    /// Which; all that wait now if nothing is said.
    #[schema(max_items = 10000)]
    items: Option<Vec<String>>,
    /// Only those of this tool, as `server.tool`.
    tool: Option<String>,
    /// Later calls of the session to the same tools are approved too, as long as these conditions hold of
    /// their arguments, such as `repo == "acme/site"`; an empty list stands for all of them.
    #[schema(max_items = 100)]
    remember: Option<Vec<String>>,
    /// Why, for the program and the audit log.
    reason: Option<String>,
}

/// Whether calls may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ApprovalDecision)]
pub(crate) enum Decided {
    /// They are made.
    Approve,
    /// They are not, and the program is told so.
    Deny,
}

/// What came of an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answered {
    /// Calls it was about, by tool.
    answered: BTreeMap<String, u64>,
    /// How many of the run still wait.
    left: u64,
}

/// Calls that wait for an approval.
#[utoipa::path(
    get, path = "/api/v1/approvals", tag = "approvals",
    params(("run" = Option<String>, Query, description = "Only those of this run.", pattern = "^r_[0-9a-f]{32}$")),
    responses((status = 200, description = "What waits.", body = Waiting))
)]
pub(crate) async fn list(
    State(door): State<Door>,
    Follower(caller): Follower,
    mut query: Parameters,
) -> Result<Json<Waiting>, Problem> {
    let run = query.take::<RunId>("run")?;
    query.end()?;
    let service = &door.shared.service;
    let groups = service.waiting_approvals(&caller, run.as_ref()).await?;
    let mut approvals = Vec::with_capacity(groups.len());
    for group in groups {
        let run = match group.run.parse() {
            Ok(id) => service.run(&caller, &id).await.ok(),
            Err(_) => None,
        };
        approvals.push(shown(group, run.as_ref()));
    }
    Ok(Json(Waiting { approvals }))
}

/// Answers calls of a run that wait.
///
/// Needs the scope `approve`: whoever may only run programs cannot approve what they do.
#[utoipa::path(
    post, path = "/api/v1/approvals/{run}", tag = "approvals", request_body = AnswerGiven,
    params(("run" = String, Path, description = "The run.", pattern = "^r_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The answer was taken.", body = Answered),
        (status = 404, description = "Nothing of that run waits: `nothing_to_approve`.", body = ErrorBody),
        (status = 409, description = "What is denied cannot be remembered: `nothing_to_remember`.", body = ErrorBody),
    )
)]
pub(crate) async fn answer(
    State(door): State<Door>,
    Approver(caller): Approver,
    At(run): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Json<Answered>, Problem> {
    let mut fields = Fields::read(&headers, &body)?;
    let decision: Decided = fields.need("decision")?;
    let items: Option<Vec<String>> = fields.take("items")?;
    let tool = fields.take("tool")?;
    let pattern: Option<Vec<String>> = fields.take("remember")?;
    let reason = fields.take("reason")?;
    fields.end()?;
    if items.as_ref().is_some_and(|items| items.len() > MOST_ITEMS) {
        return Err(Problem::invalid(format!("`items` has more than {MOST_ITEMS} members")));
    }
    if pattern.as_ref().is_some_and(|pattern| pattern.len() > 100) {
        return Err(Problem::invalid("`remember` has more than 100 conditions"));
    }
    if pattern.is_some() && decision == Decided::Deny {
        let message = "`remember` goes with `decision` \"approve\" only";
        return Err(Problem::new(StatusCode::CONFLICT, "nothing_to_remember", message));
    }
    let id: RunId = run.parse().map_err(|error| Problem::invalid(format!("`run`: {error}")))?;
    let approves = decision == Decided::Approve;
    let answer = Answer { approves, items, tool, pattern, reason, by: String::new() };
    let answered = door.shared.service.answer_approvals(&caller, &id, answer).await?;
    Ok(Json(Answered { answered: answered.calls, left: answered.left }))
}

/// A page on which a person sees what waits, and answers.
pub(crate) async fn page() -> Response {
    super::page(include_str!("approvals.html"))
}

fn shown(group: Group, run: Option<&Record>) -> GroupShown {
    let done = run.map_or(group.done, |run| done(&run.calls));
    GroupShown {
        run_id: group.run,
        session: group.session,
        owner: group.owner,
        tool: group.tool,
        count: group.items.len(),
        rule: group.rule,
        reason: group.reason,
        asked_at: moment::text(group.asked_at),
        expires_at: moment::text(group.expires_at),
        items: group
            .items
            .into_iter()
            .map(|item| {
                let (number, arguments) = (item.number, item.arguments);
                ItemShown { id: item.id, number, arguments }
            })
            .collect(),
        done,
    }
}
