//! A run that did not succeed, once more: as it was asked for, without what it has done.

use std::sync::Arc;

use super::Begun;
use super::keeper::Keeper;
use crate::service::ids::{RunId, SessionId};
use crate::service::run::Run;
use crate::service::{Caller, Refusal, Request, Service};

impl Service {
    /// Runs the program of a run that did not succeed again, with the variables, the level and the limits
    /// it had. What was done is not done twice.
    pub async fn resume(
        self: &Arc<Self>,
        caller: &Caller,
        id: &RunId,
    ) -> Result<Arc<Run>, Refusal> {
        let record = self.run(caller, id).await?;
        let (own, run) = (self.parts.store.own(), id.clone());
        let begun = tokio::task::spawn_blocking(move || Keeper::begun_of(&own, &run)).await;
        let begun = begun.map_err(std::io::Error::other).and_then(|begun| begun);
        let request = match begun.map_err(|error| self.unwritten(error))? {
            Some(begun) => self.as_asked(caller, begun),
            // It was asked for without anything, or it would have been kept.
            None => Request {
                code: record.program.to_string(),
                session: self.session_again(caller, &record.session, None),
                ..Request::default()
            },
        };
        let language = Some(record.language);
        let resume_from = Some(id.clone());
        self.start_detached(caller, Request { language, resume_from, ..request }).await
    }

    fn as_asked(&self, caller: &Caller, begun: Begun) -> Request {
        Request {
            session: self.session_again(caller, &begun.session, Some(begun.is_alone)),
            code: begun.program,
            context: begun.context,
            timeout: begun.timeout,
            level: Some(begun.level),
            limits: Some(begun.limits),
            output_tokens: Some(begun.fit.1 as u64),
            output_strategy: begun.fit.0,
            agent: Some(begun.agent).filter(|agent| !agent.is_empty()),
            ..Request::default()
        }
    }

    /// The session that a run had; a fresh one where its own was made for it and is no more.
    fn session_again(
        &self,
        caller: &Caller,
        session: &SessionId,
        is_alone: Option<bool>,
    ) -> Option<SessionId> {
        match (self.entry(caller, session), is_alone) {
            (Err(_), Some(true)) | (Err(Refusal::NoSession(_)), None) => None,
            _ => Some(session.clone()),
        }
    }
}
