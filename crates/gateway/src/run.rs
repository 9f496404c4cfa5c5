//! One program, with tools.

use std::sync::Arc;

use engine::{Outcome, Program, Session, SessionError, Start};

use crate::behalf::Behalf;
use crate::children::{Children, Nursery};
use crate::desk::Desk;
use crate::hearing::Hearing;
use crate::tools::{Offer, Tools};

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
    let servers = offer.folder_in(session);
    let most = session.start().limits.call_result_bytes;
    let behalf = Arc::new(behalf);
    let mut desk = Desk::new(Arc::clone(&offer), Arc::clone(&behalf), most, Arc::clone(&hearing));
    if let Some(nursery) = nursery {
        let limits = session.start().limits.clone();
        desk = desk.with_children(Children::new(nursery, &offer, behalf, hearing, limits));
    }
    let desk = Arc::new(desk);
    session.configure(Start { host: Arc::clone(&desk) as _, servers, ..session.start().clone() });
    let ending = Ending(&desk);
    let outcome = session.run(program, Arc::clone(&desk) as _).await;
    drop(ending);
    offer.after_run();
    outcome
}

/// Calls end with their run, though the session still knows the desk.
struct Ending<'a>(&'a Desk);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
