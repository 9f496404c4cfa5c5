//! What runs did with mailboxes, from when it is done until they are over.
//!
//! ```text
//! post ─────► deed ─┐                        ┌─ its program had the message ─► forgotten
//! receive ──► deed ─┴─ the run is over ──────┤
//!             (with the message)             └─ it did not ─► the message is in its box again
//! ```
//!
//! The ledger says what a program had; the deed says what was done, also where the process ended before that was
//! in the ledger.

use std::sync::Arc;
use std::time::Duration;

use engine::{CallId, CallResult};
use serde_json::value::RawValue;
use sqlx::Row as _;
use tracing::warn;

use super::Service;
use super::durable::Keeper;
use super::durable::past::Left;
use super::mailboxes::taken_in;
use super::record::Record;
use super::run::Run;
use super::store::StoreError;
use crate::hearing::Hearing as _;
use crate::mailboxes::{Address, Deed, Letter, POST, RECEIVE};

/// A deed, with the message that it took, if it took one.
struct Done {
    deed: Deed,
    /// Where from; an older version did not say.
    taken: Option<(Option<Address>, Letter)>,
}

impl Service {
    /// Says in the ledger of a run that is over what became of what it did with mailboxes, and forgets that: it
    /// makes no call again. A message that it took and its program never got is in its box again.
    pub(super) async fn settle_deeds(&self, run: &Run, keeper: &Arc<Keeper>) {
        if !run.record().calls.iter().any(|call| [POST, RECEIVE].contains(&call.tool.as_str())) {
            return;
        }
        // Those that its desk has given up.
        self.tools().mailboxes().returned().await;
        let settled = async {
            let (deeds, calls) = (self.deeds_of(run.id().as_str()).await?, keeper.all_left());
            for left in calls.iter().filter(|left| left.answer.is_none()) {
                let is_done = deeds.iter().any(|done| done.deed.call == left.call.id.0);
                told(run, keeper, left, is_done).await;
            }
            let had = |call| keeper.left(CallId(call)).is_some_and(|left| is_had(&left));
            // Whether it had them nobody knows where its ledger was changed, and no message is had twice.
            self.forget(deeds, |call| keeper.is_damaged() || had(call)).await
        };
        if let Err(error) = settled.await {
            warn!(run = %run.id(), error = %error, "what a run did with mailboxes could not be settled; it is tried again at the next start");
        }
    }

    /// The same of a run that goes on elsewhere, and of one whose end was stored: what it had is said in its
    /// record.
    pub(super) async fn return_messages_of(&self, record: &Record) -> Result<(), StoreError> {
        let had = |call| record.calls.iter().any(|one| one.id == call && one.ok == Some(true));
        self.forget(self.deeds_of(record.id.as_str()).await?, had).await
    }

    /// The same of all runs but those that go on.
    pub(super) async fn keep_deeds_of(&self, going: &[String]) -> Result<(), StoreError> {
        let going = serde_json::to_string(going).unwrap_or_default();
        let over = sqlx::query_scalar(
            "SELECT DISTINCT run FROM deeds WHERE run NOT IN (SELECT value FROM json_each(?))",
        );
        let over: Vec<String> = over.bind(going).fetch_all(self.parts.store.pool()).await?;
        for run in over {
            let record = match run.parse() {
                Ok(id) => self.parts.store.run(&id).await?,
                Err(_) => None,
            };
            match record {
                Some(record) => self.return_messages_of(&record).await?,
                // Nothing of it was kept, so that nothing says that it had any.
                None => self.forget(self.deeds_of(&run).await?, |_| false).await?,
            }
        }
        Ok(())
    }

    async fn deeds_of(&self, run: &str) -> Result<Vec<Done>, StoreError> {
        let rows = sqlx::query("SELECT * FROM deeds WHERE run = ?").bind(run);
        let rows = rows.fetch_all(self.parts.store.pool()).await?;
        let done = rows.iter().map(|row| {
            let call = row.get::<i64, _>("call").unsigned_abs();
            let from = row.get::<Option<String>, _>("owner").zip(row.get("name"));
            let from = from.map(|(owner, name)| Address { owner, name });
            let taken = taken_in(row).map(|letter| (from, letter));
            Done { deed: Deed { run: run.to_owned(), call }, taken }
        });
        Ok(done.collect())
    }

    /// Forgets deeds. The message of one whose program never had it goes back to its box first.
    async fn forget(&self, deeds: Vec<Done>, had: impl Fn(u64) -> bool) -> Result<(), StoreError> {
        for Done { deed, taken } in deeds {
            if let Some((Some(from), letter)) = taken
                && !had(deed.call)
            {
                let back = self.tools().mailboxes().put_back(&from, &letter, &deed).await;
                if let Err(problem) = back {
                    // With its deed it is found again.
                    warn!(r#box = %from.name, error = %problem, "a message that nobody got could not be put back");
                    continue;
                }
            }
            let forgotten = sqlx::query("DELETE FROM deeds WHERE run = ? AND call = ?");
            forgotten
                .bind(&deed.run)
                .bind(i64::try_from(deed.call).unwrap_or(i64::MAX))
                .execute(self.parts.store.pool())
                .await?;
        }
        Ok(())
    }
}

/// Whether a program had what its call took. A message that was too large for it stayed in its box.
fn is_had(left: &Left) -> bool {
    left.answer.as_ref().is_some_and(|(answer, _)| answer.result.is_ok())
}

/// Says in a ledger what became of a call to a mailbox that was not answered. Before its message goes back, or
/// whoever takes over from the run would not make it again.
pub(super) async fn told(run: &Run, keeper: &Arc<Keeper>, left: &Left, is_done: bool) {
    let id = left.call.id;
    if left.call.name == POST && is_done {
        let answer = CallResult { id, result: Ok(RawValue::NULL.to_owned()) };
        keeper.answered(&answer, Duration::ZERO);
        if let Err(error) = keeper.sync().await {
            warn!(run = %run.id(), error = %error, "that a message was posted could not be written down safely");
        }
        if let Some(left) = keeper.left(id) {
            run.called(&left.note());
        }
    } else if left.call.name == RECEIVE && !left.waits {
        // With its message or without: its program has none.
        if let Err(error) = keeper.goes_back(id).await {
            warn!(run = %run.id(), error = %error, "that a message goes back could not be written down");
        }
    }
}
