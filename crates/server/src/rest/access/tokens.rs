//! Tokens that were looked up a moment ago, so that load does not reach the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gateway::service::{Caller, Refusal, Service};

/// How long an answer counts; a token that was removed works for as long.
const COUNTS: Duration = Duration::from_secs(3);

/// Answers that are kept at a time.
const MOST: usize = 10_000;

/// Who tokens belong to.
pub(super) struct Tokens {
    service: Arc<Service>,
    known: Mutex<HashMap<String, (Instant, Caller)>>,
    /// Whether anybody had a token, and when that was asked.
    any: Mutex<Option<(Instant, bool)>>,
}

impl Tokens {
    pub(super) fn new(service: Arc<Service>) -> Self {
        Self { service, known: Mutex::default(), any: Mutex::new(None) }
    }

    /// Who this token belongs to. Only tokens that are good are remembered, so that guessing
    /// fills nothing.
    pub(super) async fn caller(&self, secret: &str) -> Result<Option<Caller>, Refusal> {
        if let Some(caller) = self.remembered(secret) {
            return Ok(Some(caller));
        }
        let caller = self.service.store().caller(secret).await?;
        if let Some(caller) = &caller {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MOST {
                known.retain(|_, (when, _)| when.elapsed() < COUNTS);
            }
            if known.len() < MOST {
                known.insert(secret.to_owned(), (Instant::now(), caller.clone()));
            }
        }
        Ok(caller)
    }

    /// Whoever comes without a token: the owner of this machine, who looks after the service as
    /// long as it is nobody else's.
    pub(super) async fn nobody(&self) -> Result<Caller, Refusal> {
        let known = *self.any.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = known.filter(|(when, _)| when.elapsed() < COUNTS);
        let any = if let Some((_, any)) = fresh {
            any
        } else {
            let any = match self.service.store().has_tokens().await {
                Ok(any) => any,
                // Where the disk is full, not even this can be read; it was so a moment ago.
                Err(error) => known.map(|(_, any)| any).ok_or(error)?,
            };
            *self.any.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), any));
            any
        };
        Ok(if any { Caller::guest() } else { Caller::local() })
    }

    fn remembered(&self, secret: &str) -> Option<Caller> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (when, caller) = known.get(secret)?;
        (when.elapsed() < COUNTS).then(|| caller.clone())
    }
}
