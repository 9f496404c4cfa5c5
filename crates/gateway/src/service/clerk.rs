//! Asks people on behalf of a service, and keeps what rules have to remember.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use audit::{Entry, Kind, Outcome};
use catalog::{ServerName, Tool};
use engine::CallError;
use policy::{Decision, Verdict};
use serde_json::{Map, Value, json};
use sqlx::SqlitePool;

use super::approvals::{Answer, AnswerError, Answered, Approvals, Group, Unapproved};
use super::ids::RunId;
use super::run::Run;
use super::trail::by;
use super::{Caller, Refusal, Scope, Service, Trail, lock};
use crate::behalf::Behalf;
use crate::besides;
use crate::judge::{Clerk, NOT_APPROVED, Wish};
use crate::veil::Cover;

/// How long no further question of a run has to come until those that came are told together.
const TOGETHER: Duration = Duration::from_millis(100);

/// How long a call without a program waits for an answer before its client is told to come back.
const DIRECTLY: Duration = Duration::from_secs(2);

/// The clerk of a service.
pub(super) struct ServiceClerk {
    pub(super) pool: SqlitePool,
    pub(super) approvals: Arc<Approvals>,
    pub(super) trail: Option<Arc<Trail>>,
    pub(super) service: Weak<Service>,
}

#[async_trait]
impl Clerk for ServiceClerk {
    async fn ask(&self, wish: &Wish<'_>, decision: &Decision) -> Result<(), String> {
        let run = self.run(&wish.behalf.run);
        let done = run.as_ref().map(|run| run.done()).unwrap_or_default();
        // Nobody is told that it waits for an answer before it can be given one.
        let asking = || run.as_ref().map(|run| Asking::new(run));
        let answered = self.approvals.ask(wish, decision, &done, asking).await;
        note_answer(self.trail.as_deref(), wish, decision, &answered);
        answered.map_err(|unapproved| unapproved.words)
    }

    async fn labels(&self, session: &str) -> Result<BTreeSet<String>, String> {
        let labels = sqlx::query_scalar("SELECT label FROM labels WHERE session = ?");
        let labels: Result<Vec<String>, _> = labels.bind(session).fetch_all(&self.pool).await;
        labels.map(|labels| labels.into_iter().collect()).map_err(|error| error.to_string())
    }

    async fn label(&self, session: &str, tool: &str) -> Result<(), String> {
        let label = sqlx::query("INSERT OR IGNORE INTO labels VALUES (?, ?)");
        let kept = label.bind(session).bind(tool).execute(&self.pool).await;
        kept.map(drop).map_err(|error| error.to_string())
    }

    async fn counted(&self, rule: &str, owner: &str, day: u64) -> Result<u64, String> {
        let count = sqlx::query_scalar(
            "SELECT count FROM rule_counts WHERE rule = ? AND owner = ? AND day = ?",
        );
        let day = i64::try_from(day).unwrap_or(i64::MAX);
        let count = count.bind(rule).bind(owner).bind(day).fetch_optional(&self.pool).await;
        let count: Option<i64> = count.map_err(|error| error.to_string())?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    async fn count(&self, rule: &str, owner: &str, day: u64, count: u64) -> Result<(), String> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        // Two that count at the same time may arrive in either order.
        sqlx::query(
            "INSERT INTO rule_counts VALUES (?1, ?2, ?3, ?4) ON CONFLICT (rule, owner) DO UPDATE
             SET day = ?3, count = CASE WHEN day = ?3 THEN MAX(count, ?4) ELSE ?4 END",
        )
        .bind(rule)
        .bind(owner)
        .bind(number(day))
        .bind(number(count))
        .execute(&self.pool)
        .await
        .map(drop)
        .map_err(|error| error.to_string())
    }

    fn decided(&self, wish: &Wish<'_>, decision: &Decision) {
        let outcome = match decision.verdict {
            Verdict::Allow => Outcome::Allow,
            Verdict::Deny => Outcome::Deny,
            Verdict::Ask => Outcome::Ask,
        };
        if let Some(trail) = &self.trail {
            trail.note(Entry {
                outcome: Some(outcome),
                details: by(
                    json!({ "rule": decision.rule, "reason": decision.reason }),
                    &wish.behalf.agent,
                ),
                ..entry(wish, Kind::Decision)
            });
        }
    }

    fn reaches(&self, behalf: &Behalf, name: &str, by_way_of: &str) {
        if let Some(trail) = &self.trail {
            trail.note(Entry {
                subject: name.to_owned(),
                details: by(json!({ "by_way_of": by_way_of }), &behalf.agent),
                ..of(behalf, Kind::Call)
            });
        }
    }
}

impl ServiceClerk {
    fn run(&self, id: &str) -> Option<Arc<Run>> {
        let id: RunId = id.parse().ok()?;
        lock(&self.service.upgrade()?.runs).get(&id).cloned()
    }
}

fn entry(wish: &Wish<'_>, kind: Kind) -> Entry {
    Entry { subject: wish.name(), ..of(wish.behalf, kind) }
}

fn of(behalf: &Behalf, kind: Kind) -> Entry {
    Entry {
        owner: behalf.owner.clone(),
        session: behalf.session.clone(),
        run: behalf.run.clone(),
        ..Entry::new(kind)
    }
}

/// Writes down what came of asking about one call.
fn note_answer(
    trail: Option<&Trail>,
    wish: &Wish<'_>,
    decision: &Decision,
    answered: &Result<(), Unapproved>,
) {
    let Some(trail) = trail else { return };
    let outcome = match answered {
        Ok(()) => Outcome::Given,
        Err(Unapproved { is_expired: true, .. }) => Outcome::Expired,
        Err(_) => Outcome::Refused,
    };
    let why = answered.as_ref().err().map(|unapproved| &unapproved.words);
    trail.note(Entry {
        outcome: Some(outcome),
        details: by(json!({ "rule": decision.rule, "why": why }), &wish.behalf.agent),
        ..entry(wish, Kind::Approval)
    });
}

/// One call of a run waits for somebody's answer as long as this is there.
struct Asking<'a>(&'a Run);

impl<'a> Asking<'a> {
    fn new(run: &'a Run) -> Self {
        run.asks(1);
        Self(run)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asks(-1);
    }
}

/// Arguments of a client as the server gets them. Where they cannot be had, nothing is sent afterwards.
async fn values(
    cover: &Cover<'_>,
    what: &str,
    arguments: &Map<String, Value>,
) -> Map<String, Value> {
    match cover.take_off(what, Value::Object(arguments.clone())).await {
        Ok(Value::Object(values)) => values,
        Ok(_) | Err(_) => arguments.clone(),
    }
}

impl Service {
    /// Questions to people, and their answers.
    #[must_use]
    pub fn approvals(&self) -> &Arc<Approvals> {
        &self.approvals
    }

    /// Has somebody asked on behalf of a run; the words say why not.
    pub(super) async fn ask_somebody(
        &self,
        run: &Run,
        wish: &Wish<'_>,
        decision: &Decision,
    ) -> Result<(), String> {
        let asking = || Asking::new(run);
        let answered = self.approvals.ask(wish, decision, &run.done(), asking).await;
        note_answer(self.parts.trail.as_deref(), wish, decision, &answered);
        answered.map_err(|unapproved| unapproved.words)
    }

    /// Comes back when calls of a run wait for somebody's answer, with all that were made together.
    pub async fn asked(&self, run: &Run) -> Vec<Group> {
        let count = |groups: &[Group]| groups.iter().map(|group| group.items.len()).sum::<usize>();
        let mut before = 0;
        loop {
            run.waits_for_answers().await;
            let now = self.approvals.waiting(Some(run.id().as_str()), None).await;
            let now = now.unwrap_or_default();
            if !now.is_empty() && count(&now) == before {
                return now;
            }
            before = count(&now);
            tokio::time::sleep(TOGETHER).await;
        }
    }

    /// What waits for an answer that this caller may see.
    ///
    /// # Errors
    /// When what is kept cannot be read.
    pub async fn waiting_approvals(
        &self,
        caller: &Caller,
        run: Option<&RunId>,
    ) -> Result<Vec<Group>, Refusal> {
        let owner = (!caller.may(Scope::Admin)).then_some(caller.owner.as_str());
        Ok(self.approvals.waiting(run.map(RunId::as_str), owner).await?)
    }

    /// Whether rules let a caller use a tool of a server without a program; the words say why not. A call
    /// that somebody has to approve first can be repeated when they have.
    ///
    /// # Errors
    /// When it may not be used, or not yet.
    pub async fn may_pass(
        &self,
        caller: &Caller,
        server: &ServerName,
        tool: &Tool,
        arguments: &Map<String, Value>,
    ) -> Result<(), String> {
        let behalf = self.directly(caller);
        let tools = &self.parts.tools;
        tools.confirm_named(server, &tool.name).await.map_err(|error| error.message)?;
        // Rules are about what the server gets, as they are where a program calls it.
        let cover = tools.cover(server, Some(&tool.name), &caller.owner, "");
        let values = values(&cover, &format!("{server}.{}", tool.name), arguments).await;
        let said = tools.said(server, tool);
        let wish = Wish {
            behalf: &behalf,
            server: &server.0,
            tool: &tool.name.0,
            annotations: &said.annotations,
            is_trusted: said.is_believed,
            arguments: &values,
            shown: arguments,
        };
        self.passes(&wish).await
    }

    /// The same for what a server has besides tools: `server.$resource`, `server.$prompt`.
    ///
    /// # Errors
    /// When it may not be read, or not yet.
    pub async fn may_read(
        &self,
        caller: &Caller,
        server: &ServerName,
        what: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(), String> {
        let behalf = self.directly(caller);
        let cover = self.parts.tools.cover(server, None, &caller.owner, "");
        let values = values(&cover, &format!("{server}.$pass"), arguments).await;
        let wish = Wish {
            behalf: &behalf,
            server: &server.0,
            tool: what,
            annotations: &besides::READS,
            is_trusted: true,
            arguments: &values,
            shown: arguments,
        };
        self.passes(&wish).await
    }

    /// Whether a list of what a server has may be shown to a caller: `server.$resources`, `server.$prompts`.
    /// Nobody is asked; one that somebody would have to approve is not shown.
    pub async fn may_list(&self, caller: &Caller, server: &ServerName, what: &str) -> bool {
        let behalf = self.directly(caller);
        let none = Map::new();
        let wish = Wish {
            behalf: &behalf,
            server: &server.0,
            tool: what,
            annotations: &besides::READS,
            is_trusted: true,
            arguments: &none,
            shown: &none,
        };
        let judge = self.parts.tools.judge();
        let permitted = judge.permits_at_once(&wish).await;
        judge.forget_run(&behalf.run);
        permitted.unwrap_or(false) && judge.has_read(&behalf, &wish.name()).await.is_ok()
    }

    async fn passes(&self, wish: &Wish<'_>) -> Result<(), String> {
        let (tools, behalf) = (&self.parts.tools, wish.behalf);
        let permitted = tokio::time::timeout(DIRECTLY, tools.judge().permit(wish)).await;
        let (name, run) = (wish.name(), &behalf.run);
        // Each is counted by itself.
        tools.judge().forget_run(run);
        permitted
            .unwrap_or_else(|_| {
                let message = format!(
                    "{name} was not called: somebody has to approve it first. Tell the user to decide with `tidegate approvals approve {run}`, then make the very same call again"
                );
                Err(CallError { kind: NOT_APPROVED.to_owned(), message })
            })
            .map_err(|error| error.message)?;
        tools.judge().has_read(behalf, &name).await.map_err(|error| error.message)
    }

    /// Whoever uses tools without programs: all that one owner does this way is one run, which never ends.
    fn directly(&self, caller: &Caller) -> Behalf {
        let run = RunId::of_owner(&caller.owner);
        let (owner, teams) = (caller.owner.clone(), caller.teams.clone());
        let own = Behalf { owner, teams, ..Behalf::local(self.settings.level) };
        own.without_program(run.as_str())
    }

    /// Takes a caller's answer about calls of a run.
    ///
    /// # Errors
    /// When the caller may not answer, or there is nothing to be answered.
    pub async fn answer_approvals(
        &self,
        caller: &Caller,
        run: &RunId,
        mut answer: Answer,
    ) -> Result<Answered, Refusal> {
        let waiting = self.waiting_approvals(caller, Some(run)).await?;
        if waiting.is_empty() || !caller.may(Scope::Approve) {
            return Err(Refusal::NothingToApprove(run.clone()));
        }
        answer.by = if answer.by.is_empty() { caller.owner.clone() } else { answer.by };
        let answered = self.approvals.answer(run.as_str(), &answer).await;
        let answered = answered.map_err(|error| match error {
            AnswerError::Store(error) => Refusal::Store(error),
            AnswerError::Nothing => Refusal::NothingToApprove(run.clone()),
            AnswerError::Unknown(_) => Refusal::Unfit {
                field: "items",
                problem: format!("names what is not there: {error}"),
            },
            AnswerError::Condition(_) => {
                Refusal::Unfit { field: "remember", problem: format!("cannot be read: {error}") }
            }
        })?;
        if let Some(trail) = &self.parts.trail {
            for (tool, count) in &answered.calls {
                // What it means for each call is written down where that goes on, or does not.
                trail.note(Entry {
                    owner: caller.owner.clone(),
                    run: run.as_str().to_owned(),
                    subject: tool.clone(),
                    outcome: Some(Outcome::Answered),
                    details: json!({
                        "by": answer.by, "approves": answer.approves, "calls": count,
                        "reason": answer.reason,
                        "remembered": answer.pattern,
                    }),
                    ..Entry::new(Kind::Approval)
                });
            }
        }
        Ok(answered)
    }
}
