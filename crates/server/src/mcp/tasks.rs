//! Long runs as tasks: a client that knows them need not wait, and may ask after a restart.
//!
//! A task is a run that is stored anyway; nothing of it hangs on a connection.

use std::sync::Arc;
use std::time::Duration;

use gateway::service::ids::RunId;
use gateway::service::{Record, Request, Scope, Status};
use rmcp::model::{
    CallToolResponse, CreateTaskResult, DetailedTask, GetTaskResult, InputRequests, Task,
    TaskPayload, TaskStatus, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::execute::{asks, failed, placed, refused, tell, waits};
use super::sampling::Line;
use super::{Mcp, caller, words};
use crate::rest::moment;

/// How long a call is waited for before its client is given a task.
const AFTER: Duration = Duration::from_secs(5);

/// How often a client is to ask.
const ASK: Duration = Duration::from_secs(2);

impl Mcp {
    /// Whether this client can be given a task instead of a result.
    pub(super) fn takes_tasks(&self, context: &RequestContext<RoleServer>) -> bool {
        !self.is_direct() && context.client_capabilities().is_some_and(|has| has.supports_tasks())
    }

    /// Runs a program that goes on by itself if it takes long.
    pub(super) async fn run_as_task(
        &self,
        request: Request,
        line: Option<Arc<Line>>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let service = &self.shared.service;
        let run = service.start_detached(&caller(context), request).await;
        placed(context);
        let run = match run {
            Ok(run) => run,
            Err(refusal) => return refused(&refusal).into(),
        };
        if let Some(line) = &line {
            self.lines.keep(run.id(), line);
        }
        let telling = tell(&run, context.meta.get_progress_token(), &context.peer);
        let over = async { tokio::join!(run.over(), telling) };
        tokio::select! {
            _ = over => words::result(&run.record(), &run.artifacts(), true).into(),
            () = context.ct.cancelled() => {
                run.cancel();
                failed(self.stopped()).into()
            }
            Some(_) = asks(line.as_deref()) => {
                CreateTaskResult::new(self.task(&run.record(), TaskStatus::Working)).into()
            }
            _ = service.asked(&run) => {
                CreateTaskResult::new(self.task(&run.record(), TaskStatus::Working)).into()
            }
            () = tokio::time::sleep(AFTER) => {
                CreateTaskResult::new(self.task(&run.record(), TaskStatus::Working)).into()
            }
        }
    }

    /// Where a task is, and its result if it has one.
    pub(super) async fn task_now(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        may_look(context)?;
        let id = task_id(id)?;
        let answered = self.shared.service.answered(&caller(context), &id).await;
        let (record, artifacts) = answered.map_err(|refusal| unknown(&refusal.to_string()))?;
        let payload = match record.status {
            Status::Cancelled => TaskPayload::Cancelled,
            status if status.is_final() => {
                let result = serde_json::to_value(words::result(&record, &artifacts, true));
                let Ok(Value::Object(result)) = result else {
                    return Err(ErrorData::internal_error("the result was lost", None));
                };
                TaskPayload::Completed { result }
            }
            _ => match self.all_questions(&id, context).await {
                Some(input_requests) => TaskPayload::InputRequired { input_requests },
                None => TaskPayload::Working,
            },
        };
        let task = self.task(&record, payload.status());
        Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
    }

    /// What a task waits for that its client can answer: approvals, and what its model says.
    async fn all_questions(
        &self,
        id: &RunId,
        context: &RequestContext<RoleServer>,
    ) -> Option<InputRequests> {
        let approvals = self.questions(id, context).await;
        let mut all = self.task_questions(id).unwrap_or_default();
        all.extend(approvals.into_iter().flatten());
        (!all.is_empty()).then_some(all)
    }

    /// Ends a task.
    pub(super) async fn end_task(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = caller(context);
        if !caller.may(Scope::Execute) {
            return Err(ErrorData::invalid_request("this needs the scope execute", None));
        }
        let cancelled = self.shared.service.cancel(&caller, &task_id(id)?).await;
        cancelled.map(drop).map_err(|refusal| unknown(&refusal.to_string()))
    }

    /// Takes what a client says about calls that wait for an approval.
    pub(super) async fn answer_task(
        &self,
        given: &UpdateTaskParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (id, caller) = (task_id(&given.task_id)?, caller(context));
        let known = self.shared.service.run(&caller, &id).await;
        known.map_err(|refusal| unknown(&refusal.to_string()))?;
        self.answered_task(&id, &given.input_responses, &caller).await;
        self.take_answers(&id, Some(&given.input_responses));
        Ok(())
    }

    fn task(&self, record: &Record, status: TaskStatus) -> Task {
        let changed = record.finished_at.or(record.waiting.map(|rest| rest.since));
        let changed = changed.or(record.started_at).unwrap_or(record.created_at);
        let [created, changed] = [record.created_at, changed].map(moment::text);
        let keep = self.shared.service.settings().keep_runs;
        let mut task = Task::new(record.id.to_string(), status, created, changed)
            .with_ttl_ms(milliseconds(keep));
        if status == TaskStatus::Working {
            task = task.with_poll_interval_ms(milliseconds(ASK));
        }
        match waits(record) {
            Some(words) => task.with_status_message(words),
            None => task.with_status_message(record.status.name()),
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Whether a caller may look at runs and tools: one who may only approve does not.
pub(super) fn may_look(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let caller = caller(context);
    if caller.may(Scope::Read) || caller.may(Scope::Execute) {
        return Ok(());
    }
    Err(ErrorData::invalid_request("this needs the scope read or execute", None))
}

fn task_id(given: &str) -> Result<RunId, ErrorData> {
    given.parse().map_err(|_| unknown("there is no such task"))
}

fn unknown(message: &str) -> ErrorData {
    ErrorData::invalid_params(message.to_owned(), None)
}
