//! Which requests of a client are still being answered: no other may have their id meanwhile.
//!
//! rmcp knows one request by each id. With two of them only one is answered, and whoever sent the other waits
//! forever; so the second is refused at once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};

/// The ids of what one client asked for and has no answer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Unanswered(Arc<Mutex<HashSet<RequestId>>>);

impl Unanswered {
    /// Takes one up, or says that it is in use.
    pub(super) fn begin(&self, id: &RequestId) -> Result<(), Box<ServerJsonRpcMessage>> {
        if self.all().insert(id.clone()) {
            return Ok(());
        }
        let words = format!(
            "the id {id} is in use: an earlier request with it is still being answered; send this one again with another id"
        );
        let error = ErrorData::invalid_request(words, None);
        Err(Box::new(JsonRpcMessage::error(error, Some(id.clone()))))
    }

    /// It is answered, or taken back.
    pub(super) fn end(&self, id: &RequestId) {
        self.all().remove(id);
    }

    /// Takes one up until what is given back is dropped.
    pub(super) fn held(&self, id: &RequestId) -> Result<Held, Box<ServerJsonRpcMessage>> {
        self.begin(id)?;
        Ok(Held { id: id.clone(), all: self.clone() })
    }

    fn all(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held for as long as somebody listens for an answer.
pub(super) struct Held {
    id: RequestId,
    all: Unanswered,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.end(&self.id);
    }
}
