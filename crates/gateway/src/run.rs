//! One program, with tools.

use std::sync::Arc;

use async_trait::async_trait;
use engine::{
    CallId, CallResult, Calls, HostCall, Outcome, Program, Rest, Session, SessionError, Start,
};

use crate::behalf::Behalf;
use crate::children::{Children, Nursery};
use crate::desk::Desk;
use crate::hearing::Hearing;
use crate::service::gate::Turn;
use crate::tools::{Offer, Tools};

/// The class of the error that a program ends with that called a tool with something it does not take.
const ARGUMENT_ERROR: &str = "ArgumentError";

/// Runs `program` in `session`; its calls go to `tools`, what it prints to `hearing`.
///
/// Dropping the future stops the program, cancels its calls and leaves the session as it was.
///
/// # Errors
/// Only when the sandbox itself failed. A program that fails or is stopped has an outcome.
pub async fn run(
    session: &mut Session,
    program: Program,
    tools: &Arc<Tools>,
    behalf: Behalf,
    hearing: Arc<dyn Hearing>,
) -> Result<Outcome, SessionError> {
    let offer = tools.offer(&program.source).await;
    run_with(session, program, offer, behalf, hearing, None).await
}

/// The same with an offer that was made already, when the program was checked, and with children where a
/// `nursery` is given.
///
/// # Errors
/// As for [`run`].
pub async fn run_with(
    session: &mut Session,
    program: Program,
    offer: Arc<Offer>,
    behalf: Behalf,
    hearing: Arc<dyn Hearing>,
    nursery: Option<Nursery>,
) -> Result<Outcome, SessionError> {
    run_in_turn(session, program, offer, behalf, hearing, nursery, None).await
}

/// The same for one that has a place among many, which others may have while it rests.
pub(crate) async fn run_in_turn(
    session: &mut Session,
    program: Program,
    offer: Arc<Offer>,
    behalf: Behalf,
    hearing: Arc<dyn Hearing>,
    nursery: Option<Nursery>,
    turn: Option<Turn>,
) -> Result<Outcome, SessionError> {
    let servers = offer.folder_in(session);
    let skills = offer.skills(&behalf, session.engine().language());
    let most = session.start().limits.call_result_bytes;
    if behalf.child == 0 {
        // Its children share it.
        offer.tally().models().set(session.start().limits.model_tokens);
    }
    let behalf = Arc::new(behalf);
    let mut desk = Desk::new(Arc::clone(&offer), Arc::clone(&behalf), most, Arc::clone(&hearing));
    if let Some(nursery) = nursery {
        let limits = session.start().limits.clone();
        desk = desk.with_children(Children::new(nursery, &offer, behalf, hearing, limits));
    }
    let desk = Arc::new(desk);
    session.configure(Start {
        host: Arc::clone(&desk) as _,
        servers,
        skills,
        ..session.start().clone()
    });
    let ending = Ending(&desk);
    let calls: Arc<dyn Calls> = match turn {
        Some(turn) => Arc::new(InTurn { desk: Arc::clone(&desk), turn }),
        None => Arc::clone(&desk) as _,
    };
    let source = program.source.clone();
    let mut outcome = session.run(program, calls).await;
    if outcome.is_ok() {
        desk.messages_are_had();
    }
    drop(ending);
    offer.after_run();
    if let Ok(outcome) = &mut outcome {
        tell_of_changes(outcome, &source, &offer).await;
    }
    outcome
}

/// A program may have been refused for what is remembered of a server that has other tools by now: that is
/// found out, so that the next one is given what the server has.
pub(crate) async fn tell_of_changes(outcome: &mut Outcome, source: &str, offer: &Offer) {
    let Some(error) = outcome.error.as_mut().filter(|error| error.kind == ARGUMENT_ERROR) else {
        return;
    };
    if let Some(words) = offer.changed_since(source).await {
        let before = error.hint.take().map(|hint| format!("{hint}\n")).unwrap_or_default();
        error.hint = Some(format!("{before}{words}"));
    }
}

/// Calls end with their run, though the session still knows the desk.
struct Ending<'a>(&'a Desk);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The calls of a run that gives its place away while it rests.
struct InTurn {
    desk: Arc<Desk>,
    turn: Turn,
}

#[async_trait]
impl Calls for InTurn {
    async fn call(&self, call: HostCall) -> CallResult {
        self.desk.call(call).await
    }

    fn withdrawn(&self, id: CallId) {
        Calls::withdrawn(&*self.desk, id);
    }

    async fn rests(&self, mut rest: Rest<'_>) -> Vec<CallResult> {
        self.desk.messages_are_had();
        // It rests until it has a place again.
        let _resting = self.desk.resting();
        let aside = tokio::select! {
            biased;
            results = &mut rest => {
                self.desk.messages_go(&results);
                return results;
            }
            aside = self.turn.wanted(|| !self.desk.has_children()) => aside,
        };
        self.turn.give_away();
        let results = rest.await;
        self.desk.messages_go(&results);
        self.turn.take_again().await;
        drop(aside);
        results
    }
}
