//! What is stored of runs, without personal data and secrets.

use super::durable::Begun;
use super::store::StoreError;
use super::{Caller, Record, Refusal, Request, Service};
use crate::veil::{Held, VeilError};

impl Service {
    /// A run as it may be stored.
    pub(super) async fn covered(&self, record: Record) -> Result<Record, StoreError> {
        if !self.tools().hides() {
            return Ok(record);
        }
        Ok(self.tools().veil().record(record).await?)
    }

    /// A run's program as the audit log may have it; `None` where that cannot be said.
    pub(super) async fn covered_program(&self, begun: &Begun) -> Option<String> {
        if !self.tools().hides() {
            return Some(begun.program.clone());
        }
        self.tools().veil().program(&begun.owner, &begun.program).await.ok()
    }

    /// Takes secrets out of a request.
    pub(super) async fn take_secrets(
        &self,
        caller: &Caller,
        request: &mut Request,
    ) -> Result<Held, Refusal> {
        let taken = self.tools().veil().take_secrets(&caller.owner, &mut request.context).await;
        taken.map_err(|error| match error {
            VeilError::Secret(problem) => {
                Refusal::Unfit { field: "context", problem: problem.to_string() }
            }
            other => StoreError::from(other).into(),
        })
    }

    /// Makes the program of a run that takes over from another what that one was: stored, it has tokens,
    /// and what it asks has to be what was asked.
    pub(super) async fn uncover_program(
        &self,
        caller: &Caller,
        request: &mut Request,
    ) -> Result<(), Refusal> {
        let Some(from) = &request.resume_from else { return Ok(()) };
        let stored = self.parts.store.run(from).await?;
        if stored.is_some_and(|stored| *stored.program == *request.code) {
            let whole = self.tools().veil().program_again(&caller.owner, &request.code).await;
            request.code = whole.map_err(StoreError::from)?;
        }
        Ok(())
    }
}
