//! Which requests of a client are still being answered: no other may have their id meanwhile.
//!
//! rmcp knows one request by each id. With two of them only one is answered, and whoever sent the other waits
//! forever; so the second is refused at once. One that was taken back, or whose client listens no longer, is
//! still being answered until its work has ended: rmcp would take its answer for that of the next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use tokio::runtime::Handle;

/// How long the answer to one whose work has ended is on its way to rmcp, which drops it if it was taken back.
pub(super) const ON_ITS_WAY: Duration = Duration::from_millis(500);

/// The ids of what one client asked for and has no answer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Unanswered(Arc<Mutex<Ids>>);

#[derive(Debug, Default)]
struct Ids {
    /// With the number of the request that has each.
    in_use: HashMap<RequestId, u64>,
    /// How many requests there were.
    requests: u64,
}

/// Goes with a request for as long as somebody works on it.
#[derive(Debug, Clone)]
pub(super) struct Working {
    _work: Arc<Work>,
}

#[derive(Debug)]
struct Work {
    id: RequestId,
    number: u64,
    all: Unanswered,
}

impl Unanswered {
    /// Takes one up, or says that its id is in use.
    pub(super) fn begin(&self, id: &RequestId) -> Result<Working, Box<ServerJsonRpcMessage>> {
        let mut ids = self.ids();
        if ids.in_use.contains_key(id) {
            let words = format!(
                "the id {id} is in use: an earlier request with it is still being answered; send this one again with another id"
            );
            let error = ErrorData::invalid_request(words, None);
            return Err(Box::new(JsonRpcMessage::error(error, Some(id.clone()))));
        }
        ids.requests += 1;
        let number = ids.requests;
        ids.in_use.insert(id.clone(), number);
        drop(ids);
        Ok(Working { _work: Arc::new(Work { id: id.clone(), number, all: self.clone() }) })
    }

    /// It is answered.
    pub(super) fn end(&self, id: &RequestId) {
        self.ids().in_use.remove(id);
    }

    /// The same, unless another has its id by now.
    fn end_of(&self, id: &RequestId, number: u64) {
        let mut ids = self.ids();
        if ids.in_use.get(id) == Some(&number) {
            ids.in_use.remove(id);
        }
    }

    fn is_in_use(&self, id: &RequestId, number: u64) -> bool {
        self.ids().in_use.get(id) == Some(&number)
    }

    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let (id, number, all) = (self.id.clone(), self.number, self.all.clone());
        match Handle::try_current() {
            Ok(runtime) if all.is_in_use(&id, number) => {
                runtime.spawn(async move {
                    tokio::time::sleep(ON_ITS_WAY).await;
                    all.end_of(&id, number);
                });
            }
            _ => all.end_of(&id, number),
        }
    }
}
