//! Messages between programs, in the database: they survive the process.

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection, SqlitePool};

use super::Service;
use super::record::Moment;
use crate::mailboxes::{
    Address, Boxes, Deed, Letter, MailboxBounds, Message, PutError, Stood, has_room,
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
    owner TEXT,
    name TEXT,
    place INTEGER,
    posted_at INTEGER,
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
            && let Done::Took(letter) = done(&mut work, deed).await?
        {
            return Ok(Some(letter));
        }
        let first = sqlx::query(
            "DELETE FROM messages WHERE id = (SELECT MIN(id) FROM messages WHERE owner = ? AND name = ?)
             RETURNING id, posted_at, labels, value",
        );
        let first = first.bind(&from.owner).bind(&from.name).fetch_optional(&mut *work).await?;
        let Some(row) = first else { return Ok(None) };
        let message = Message { value: row.get("value"), labels: read(row.get("labels")) };
        let stood = Stood { place: row.get("id"), since: row.get("posted_at") };
        let letter = Letter { message, stood: Some(stood) };
        if let Some(deed) = deed {
            note(&mut work, deed, Some((from, &letter))).await?;
        }
        work.commit().await?;
        Ok(Some(letter))
    }

    async fn returned(
        &self,
        to: &Address,
        letter: &Letter,
        deed: Option<&Deed>,
    ) -> Result<(), sqlx::Error> {
        let Letter { message, stood } = letter;
        let mut work = self.0.begin_with("BEGIN IMMEDIATE").await?;
        if let Some(deed) = deed {
            let undone = sqlx::query("DELETE FROM deeds WHERE run = ? AND call = ?");
            let undone = undone.bind(&deed.run).bind(number(deed.call)).execute(&mut *work).await?;
            if undone.rows_affected() == 0 {
                // Somebody put it back already, and somebody else may have it by now.
                return Ok(());
            }
        }
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
        work.commit().await
    }
}

/// What came of a deed.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    Not,
    Posted,
    Took(Letter),
}

async fn done(on: &mut SqliteConnection, deed: &Deed) -> Result<Done, sqlx::Error> {
    let row = sqlx::query("SELECT * FROM deeds WHERE run = ? AND call = ?");
    let row = row.bind(&deed.run).bind(number(deed.call)).fetch_optional(on).await?;
    Ok(row.map_or(Done::Not, |row| taken_in(&row).map_or(Done::Posted, Done::Took)))
}

/// The message that was taken in this row of a deed, if one was.
pub(super) fn taken_in(deed: &SqliteRow) -> Option<Letter> {
    let value = deed.get::<Option<String>, _>("value")?;
    let labels = deed.get::<Option<String>, _>("labels").map(read).unwrap_or_default();
    // Where an older version noted it nobody knows.
    let stood = (deed.get::<Option<i64>, _>("place")).zip(deed.get("posted_at"));
    let stood = stood.map(|(place, since)| Stood { place, since });
    Some(Letter { message: Message { value, labels }, stood })
}

async fn note(
    on: &mut SqliteConnection,
    deed: &Deed,
    taken: Option<(&Address, &Letter)>,
) -> Result<(), sqlx::Error> {
    let (from, letter) = taken.unzip();
    let (message, stood) = (letter.map(|one| &one.message), letter.and_then(|one| one.stood));
    sqlx::query(
        "INSERT INTO deeds (run, call, labels, value, owner, name, place, posted_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&deed.run)
    .bind(number(deed.call))
    .bind(message.map(|message| written(&message.labels)))
    .bind(message.map(|message| &message.value))
    .bind(from.map(|from| &from.owner))
    .bind(from.map(|from| &from.name))
    .bind(stood.map(|stood| stood.place))
    .bind(stood.map(|stood| stood.since))
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
        let first = boxes.take(&own, Some(&deed(2))).await.unwrap();
        assert_eq!(first.as_ref().map(|letter| &letter.message), Some(&message("1", &[])));
        drop((boxes, store));
        let (boxes, _store) = open().await;
        // With where it stood, should it go back there.
        assert_eq!(boxes.take(&own, Some(&deed(2))).await.unwrap(), first);
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
        boxes.put_back(&own, &letter, Some(&deed)).await.unwrap();
        assert_eq!(boxes.take(&own, Some(&deed)).await.unwrap(), None);
    }
}
