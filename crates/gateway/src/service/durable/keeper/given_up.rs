//! Calls that nobody waits for any more, and what becomes of what they took.

use std::io;
use std::sync::Arc;

use engine::CallId;

use super::super::ledger::Line;
use super::{Keeper, lock};

impl Keeper {
    /// Nobody waits for a call any more.
    pub(crate) fn withdrawn(&self, id: CallId) {
        let mut state = lock(&self.state);
        if let Some(left) = state.left.get_mut(&id)
            && left.answer.is_none()
        {
            left.withdrawn = true;
            let _ = self.append(&mut state, &Line::Withdrawn { id });
        }
    }

    /// What a call took goes back to where it came from: it waits again, as if it had not left.
    pub(crate) async fn goes_back(self: &Arc<Self>, id: CallId) -> io::Result<()> {
        self.blocking(move |keeper| {
            let mut state = lock(&keeper.state);
            let rests = state.rests;
            let Some(left) = state.left.get_mut(&id) else { return Ok(()) };
            (left.answer, left.waits) = (None, true);
            // A run that is over has none.
            let Some(ledger) = &mut state.ledger else { return Ok(()) };
            let written = ledger.append(&Line::Waits { id }).and_then(|()| ledger.sync());
            if rests {
                ledger.close();
            }
            written
        })
        .await
    }
}
