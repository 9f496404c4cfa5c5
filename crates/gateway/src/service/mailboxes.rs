//! Messages between programs, in the database: they survive the process.

use async_trait::async_trait;
use sqlx::{Row as _, SqliteConnection, SqlitePool};

use super::Service;
use super::record::{Moment, Record};
use super::store::StoreError;
use crate::mailboxes::{
    Address, Boxes, Deed, Letter, MailboxBounds, Message, POST, PutError, RECEIVE, Stood, has_room,
};

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    posted_at INTEGER NOT NULL,
    labels TEXT NOT NULL,
    value TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS messages_by_box ON messages (owner, name, id);
CREATE TABLE IF NOT EXISTS deeds (
    run TEXT NOT NULL,
    call INTEGER NOT NULL,
    labels TEXT,
    value TEXT,
    PRIMARY KEY (run, call)
) STRICT;
";

/// Takes the messages of the database `other` over, behind those that are here.
pub(super) async fn take_over(to: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    for statement in [
        "BEGIN IMMEDIATE",
        "INSERT INTO main.messages (owner, name, posted_at, labels, value)
         SELECT owner, name, posted_at, labels, value FROM other.messages ORDER BY id",
        "DELETE FROM other.messages",
        "COMMIT",
    ] {
        sqlx::query(statement).execute(&mut *to).await?;
    }
    Ok(())
}

/// The boxes of a service.
pub(super) struct StoredBoxes(pub(super) SqlitePool);

#[async_trait]
impl Boxes for StoredBoxes {
    async fn put(
        &self,
        to: &Address,
        message: &Message,
        bounds: &MailboxBounds,
        deed: Option<&Deed>,
    ) -> Result<(), PutError> {
        let unkept = |error: sqlx::Error| PutError::Unkept(error.to_string());
        let mut work = self.0.begin_with("BEGIN IMMEDIATE").await.map_err(unkept)?;
        if let Some(deed) = deed
            && done(&mut work, deed).await.map_err(unkept)? != Done::Not
        {
            return Ok(());
        }
        let row = sqlx::query(
            "SELECT COUNT(DISTINCT name) AS boxes, COALESCE(SUM(LENGTH(CAST(value AS BLOB))), 0) AS bytes,
                    COALESCE(SUM(name = ?2), 0) AS messages
             FROM messages WHERE owner = ?1",
        );
        let row = row.bind(&to.owner).bind(&to.name).fetch_one(&mut *work).await;
        let row = row.map_err(unkept)?;
        let number = |name: &str| row.get::<i64, _>(name).unsigned_abs();
        let (messages, bytes) = (number("messages"), number("bytes") + message.value.len() as u64);
        has_room(messages > 0, number("boxes"), messages, bytes, bounds)?;
        let insert = sqlx::query(
            "INSERT INTO messages (owner, name, posted_at, labels, value) VALUES (?, ?, ?, ?, ?)",
        );
        insert
            .bind(&to.owner)
            .bind(&to.name)
            .bind(Moment::now().0)
            .bind(written(&message.labels))
            .bind(&message.value)
            .execute(&mut *work)
            .await
            .map_err(unkept)?;
        if let Some(deed) = deed {
            note(&mut work, deed, None).await.map_err(unkept)?;
        }
        work.commit().await.map_err(unkept)
    }

    async fn take(&self, from: &Address, deed: Option<&Deed>) -> Result<Option<Letter>, String> {
        self.taken(from, deed).await.map_err(|error| error.to_string())
    }

    async fn put_back(
        &self,
        to: &Address,
        letter: &Letter,
        deed: Option<&Deed>,
    ) -> Result<(), String> {
        self.returned(to, letter, deed).await.map_err(|error| error.to_string())
    }

    async fn has(&self, address: &Address) -> Result<bool, String> {
        let found = sqlx::query("SELECT 1 FROM messages WHERE owner = ? AND name = ? LIMIT 1");
        let found = found.bind(&address.owner).bind(&address.name).fetch_optional(&self.0).await;
        found.map(|row| row.is_some()).map_err(|error| error.to_string())
    }
}

impl StoredBoxes {
    async fn taken(
        &self,
        from: &Address,
        deed: Option<&Deed>,
    ) -> Result<Option<Letter>, sqlx::Error> {
        let mut work = self.0.begin_with("BEGIN IMMEDIATE").await?;
        if let Some(deed) = deed
            && let Done::Took(before) = done(&mut work, deed).await?
        {
            return Ok(Some(Letter { message: before, stood: None }));
        }
        let first = sqlx::query(
            "DELETE FROM messages WHERE id = (SELECT MIN(id) FROM messages WHERE owner = ? AND name = ?)
             RETURNING id, posted_at, labels, value",
        );
        let first = first.bind(&from.owner).bind(&from.name).fetch_optional(&mut *work).await?;
        let Some(row) = first else { return Ok(None) };
        let message = Message { value: row.get("value"), labels: read(row.get("labels")) };
        if let Some(deed) = deed {
            note(&mut work, deed, Some(&message)).await?;
        }
        work.commit().await?;
        let stood = Stood { place: row.get("id"), since: row.get("posted_at") };
        Ok(Some(Letter { message, stood: Some(stood) }))
    }

    async fn returned(
        &self,
        to: &Address,
        letter: &Letter,
        deed: Option<&Deed>,
    ) -> Result<(), sqlx::Error> {
        let Letter { message, stood } = letter;
        let mut work = self.0.begin_with("BEGIN IMMEDIATE").await?;
        let insert = sqlx::query(
            "INSERT OR IGNORE INTO messages (id, owner, name, posted_at, labels, value)
             VALUES (COALESCE(?, (SELECT MIN(id) - 1 FROM messages), 1), ?, ?, ?, ?, ?)",
        );
        insert
            .bind(stood.map(|stood| stood.place))
            .bind(&to.owner)
            .bind(&to.name)
            .bind(stood.map_or_else(|| Moment::now().0, |stood| stood.since))
            .bind(written(&message.labels))
            .bind(&message.value)
            .execute(&mut *work)
            .await?;
        if let Some(deed) = deed {
            let undone = sqlx::query("DELETE FROM deeds WHERE run = ? AND call = ?");
            undone.bind(&deed.run).bind(number(deed.call)).execute(&mut *work).await?;
        }
        work.commit().await
    }
}

/// What came of a deed.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    Not,
    Posted,
    Took(Message),
}

async fn done(on: &mut SqliteConnection, deed: &Deed) -> Result<Done, sqlx::Error> {
    let row = sqlx::query("SELECT labels, value FROM deeds WHERE run = ? AND call = ?");
    let row = row.bind(&deed.run).bind(number(deed.call)).fetch_optional(on).await?;
    let Some(row) = row else { return Ok(Done::Not) };
    let (value, labels): (Option<String>, Option<String>) = (row.get("value"), row.get("labels"));
    Ok(match value {
        Some(value) => Done::Took(Message { value, labels: labels.map(read).unwrap_or_default() }),
        None => Done::Posted,
    })
}

async fn note(
    on: &mut SqliteConnection,
    deed: &Deed,
    taken: Option<&Message>,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO deeds VALUES (?, ?, ?, ?)")
        .bind(&deed.run)
        .bind(number(deed.call))
        .bind(taken.map(|message| written(&message.labels)))
        .bind(taken.map(|message| &message.value))
        .execute(on)
        .await
        .map(drop)
}

fn number(call: u64) -> i64 {
    i64::try_from(call).unwrap_or(i64::MAX)
}

fn written(labels: &[String]) -> String {
    serde_json::to_string(labels).unwrap_or_else(|_| "[]".to_owned())
}

/// Labels that cannot be read may have been any.
#[expect(clippy::needless_pass_by_value, reason = "it comes from a row and goes nowhere else")]
fn read(labels: String) -> Vec<String> {
    serde_json::from_str(&labels).unwrap_or_else(|_| vec![policy::ANYWHERE.to_owned()])
}

impl Service {
    /// Forgets what a run posted and took: it is over, and makes no call again.
    pub(super) async fn forget_deeds(&self, record: &Record) {
        if !record.calls.iter().any(|call| [POST, RECEIVE].contains(&call.tool.as_str())) {
            return;
        }
        // What it took and never got is not forgotten, but in its box again, and in the run's ledger.
        self.tools().mailboxes().returned().await;
        let forgotten = sqlx::query("DELETE FROM deeds WHERE run = ?").bind(record.id.as_str());
        if let Err(error) = forgotten.execute(self.parts.store.pool()).await {
            tracing::warn!(run = %record.id, error = %error, "what a run did with mailboxes could not be forgotten");
        }
    }

    /// The same of all runs but those that go on.
    pub(super) async fn keep_deeds_of(&self, going: &[String]) -> Result<(), StoreError> {
        let going = serde_json::to_string(going).unwrap_or_default();
        sqlx::query("DELETE FROM deeds WHERE run NOT IN (SELECT value FROM json_each(?))")
            .bind(going)
            .execute(self.parts.store.pool())
            .await?;
        Ok(())
    }

    /// Removes messages that nobody took for as long as runs are kept.
    pub(super) async fn forget_old_messages(&self) {
        let lasts = i64::try_from(self.settings.keep_runs.as_millis()).unwrap_or(i64::MAX);
        let old = sqlx::query("DELETE FROM messages WHERE posted_at < ?");
        let old = old.bind(Moment::now().0.saturating_sub(lasts));
        if let Err(error) = old.execute(self.parts.store.pool()).await {
            tracing::warn!(error = %error, "old messages could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::store::Store;
    use super::*;
    use crate::mailboxes::InMemory;

    fn at(owner: &str, name: &str) -> Address {
        Address { owner: owner.to_owned(), name: name.to_owned() }
    }

    fn message(value: &str, labels: &[&str]) -> Message {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Message { value: value.to_owned(), labels }
    }

    /// The message that is taken, without where it stood.
    async fn taken(boxes: &dyn Boxes, from: &Address, deed: Option<&Deed>) -> Option<Message> {
        boxes.take(from, deed).await.unwrap().map(|letter| letter.message)
    }

    /// What every place keeps.
    async fn keeps_its_promises(boxes: &dyn Boxes) {
        let bounds = MailboxBounds { boxes: 2, messages: 2, bytes: 10 };
        let put = async |to: &Address, value: &str| {
            boxes.put(to, &message(value, &["hr.get"]), &bounds, None).await
        };
        let (own, other) = (at("ann", "a"), at("bob", "a"));
        put(&own, "1").await.unwrap();
        put(&own, "\"2\"").await.unwrap();
        assert!(!boxes.has(&other).await.unwrap());
        assert_eq!(taken(boxes, &other, None).await, None);
        let full = async |to: &Address, value: &str| match put(to, value).await.unwrap_err() {
            PutError::Full { setting, .. } => setting,
            unkept @ PutError::Unkept(_) => panic!("{unkept:?}"),
        };
        assert_eq!(full(&own, "3").await, "max-messages");
        assert_eq!(full(&at("ann", "b"), "1234567").await, "max-message-bytes");
        put(&at("ann", "b"), "[4]").await.unwrap();
        assert_eq!(full(&at("ann", "c"), "5").await, "max-mailboxes");
        // What others have does not count.
        put(&other, "6").await.unwrap();
        assert_eq!(taken(boxes, &own, None).await, Some(message("1", &["hr.get"])));
        assert_eq!(taken(boxes, &own, None).await, Some(message("\"2\"", &["hr.get"])));
        assert_eq!(taken(boxes, &own, None).await, None);
        assert!(!boxes.has(&own).await.unwrap() && boxes.has(&other).await.unwrap());
        // An empty box is none.
        put(&at("ann", "c"), "7").await.unwrap();
        // What is put back stands where it stood, in a full box, too.
        let box_of_two = at("eve", "a");
        put(&box_of_two, "1").await.unwrap();
        put(&box_of_two, "2").await.unwrap();
        let first = boxes.take(&box_of_two, None).await.unwrap().unwrap();
        let second = boxes.take(&box_of_two, None).await.unwrap().unwrap();
        put(&box_of_two, "3").await.unwrap();
        put(&box_of_two, "4").await.unwrap();
        boxes.put_back(&box_of_two, &second, None).await.unwrap();
        boxes.put_back(&box_of_two, &first, None).await.unwrap();
        // Of one that was taken by a process that is gone nobody knows where it stood.
        let before = Letter { message: message("0", &[]), stood: None };
        boxes.put_back(&box_of_two, &before, None).await.unwrap();
        for value in ["0", "1", "2", "3", "4"] {
            let next = taken(boxes, &box_of_two, None).await.unwrap();
            assert_eq!(next.value, value);
        }
        assert_eq!(taken(boxes, &box_of_two, None).await, None);
    }

    #[tokio::test]
    async fn messages_are_in_order_bounded_and_their_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        keeps_its_promises(&StoredBoxes(store.pool().clone())).await;
        keeps_its_promises(&InMemory::default()).await;
    }

    #[tokio::test]
    async fn a_deed_is_done_once_and_gives_the_same_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let bounds = MailboxBounds::default();
        let deed = |call| Deed { run: "r_1".to_owned(), call };
        let own = at("ann", "a");
        let open = async || {
            let store = Arc::new(Store::open(folder.path()).await.unwrap());
            (StoredBoxes(store.pool().clone()), store)
        };
        let (boxes, store) = open().await;
        for value in ["1", "2"] {
            boxes.put(&own, &message(value, &[]), &bounds, None).await.unwrap();
        }
        for _ in 0..2 {
            boxes.put(&own, &message("3", &[]), &bounds, Some(&deed(1))).await.unwrap();
        }
        let first = taken(&boxes, &own, Some(&deed(2))).await;
        assert_eq!(first, Some(message("1", &[])));
        drop((boxes, store));
        let (boxes, _store) = open().await;
        assert_eq!(taken(&boxes, &own, Some(&deed(2))).await, first);
        assert_eq!(taken(&boxes, &own, None).await, Some(message("2", &[])));
        assert_eq!(taken(&boxes, &own, Some(&deed(3))).await, Some(message("3", &[])));
        assert_eq!(taken(&boxes, &own, None).await, None);
    }

    #[tokio::test]
    async fn a_deed_is_undone_with_the_message_that_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let boxes = StoredBoxes(store.pool().clone());
        let (own, deed) = (at("ann", "a"), Deed { run: "r_1".to_owned(), call: 2 });
        boxes.put(&own, &message("1", &["hr.get"]), &MailboxBounds::default(), None).await.unwrap();
        let letter = boxes.take(&own, Some(&deed)).await.unwrap().unwrap();
        for _ in 0..2 {
            boxes.put_back(&own, &letter, Some(&deed)).await.unwrap();
        }
        // Somebody else has it, and the call that gave it back takes nothing.
        assert_eq!(taken(&boxes, &own, None).await, Some(message("1", &["hr.get"])));
        assert_eq!(boxes.take(&own, Some(&deed)).await.unwrap(), None);
    }
}
