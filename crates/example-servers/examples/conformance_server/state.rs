//! Reminders that a server gives its clients and recognises: a text and a digest with a secret.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

/// Other in every process, and known to nobody else.
static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);

pub(super) fn sealed(text: &str) -> String {
    format!("{text}.{:016x}", SECRET.hash_one(text))
}

/// The text of a reminder, if it is one of ours and unchanged.
pub(super) fn opened(state: &str) -> Option<&str> {
    let (text, _) = state.rsplit_once('.')?;
    (sealed(text) == state).then_some(text)
}
