//! Sessions of the protocol belong to whoever began them.
//!
//! Revisions before the newest keep one for each client, and name it in a header. Whoever knows the
//! name could hear what another is told. So it goes out with a seal that only its owner's requests
//! break.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use gateway::service::Caller;

use super::batch;
use super::kept::{ASKING, Asking, Kept};
use super::readable::failed;

const SESSION: &str = "mcp-session-id";

/// Seconds after which it is worth asking again for a session.
const LATER: u64 = 5;

/// Seals names of sessions.
#[derive(Clone)]
struct Seal([u8; 32]);

impl Seal {
    /// One that nobody else has.
    fn new() -> Self {
        let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(uuid::Uuid::into_bytes);
        Self(*blake3::hash(halves.as_flattened()).as_bytes())
    }

    fn of(&self, id: &str, owner: &str) -> String {
        let mut hash = blake3::Hasher::new_keyed(&self.0);
        hash.update(blake3::hash(id.as_bytes()).as_bytes());
        hash.update(owner.as_bytes());
        hash.finalize().to_hex()[..32].to_owned()
    }

    /// The name without its seal, for its owner.
    fn open<'n>(&self, name: &'n str, owner: &str) -> Option<&'n str> {
        let (id, seal) = name.rsplit_once('.')?;
        (self.of(id, owner) == seal).then_some(id)
    }
}

/// Whose sessions there are.
#[derive(Clone)]
pub(super) struct Owners {
    seal: Seal,
    kept: Arc<Kept>,
}

impl Owners {
    pub(super) fn new(kept: Arc<Kept>) -> Self {
        Self { seal: Seal::new(), kept }
    }
}

/// Takes the seal off for the owner, and refuses everybody else.
pub(super) async fn owned(
    State(Owners { seal, kept }): State<Owners>,
    mut request: Request,
    next: Next,
) -> Response {
    let owner = request.extensions().get::<Caller>().map(|caller| caller.owner.clone());
    let owner = owner.unwrap_or_default();
    if let Some(name) = request.headers().get(SESSION) {
        let id = name.to_str().ok().and_then(|name| seal.open(name, &owner));
        let Some(id) = id.and_then(|id| HeaderValue::from_str(id).ok()) else {
            let words = "there is no such session; begin with `initialize`";
            return failed(StatusCode::NOT_FOUND, -32001, words);
        };
        if id.to_str().is_ok_and(|id| kept.takes_batches(id)) {
            request.extensions_mut().insert(batch::Taken);
        }
        request.headers_mut().insert(SESSION, id);
    }
    let asking = Asking { owner: owner.clone(), refused: Arc::default() };
    let refused = Arc::clone(&asking.refused);
    let mut response = ASKING.scope(asking, next.run(request)).await;
    if let Some(words) = refused.get() {
        let mut response = failed(StatusCode::TOO_MANY_REQUESTS, -32000, words);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(LATER));
        return response;
    }
    if let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
        let name = format!("{id}.{}", seal.of(id, &owner));
        if let Ok(name) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(SESSION, name);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_opens_for_its_owner_and_for_nobody_else() {
        let seal = Seal::new();
        let name = format!("a-b.{}", seal.of("a-b", "alice"));
        assert_eq!(seal.open(&name, "alice"), Some("a-b"));
        assert_eq!(seal.open(&name, "bob"), None);
        assert_eq!(seal.open("a-b", "alice"), None);
        assert_eq!(Seal::new().open(&name, "alice"), None);
    }
}
