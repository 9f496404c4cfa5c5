//! Conversations: what was asked and answered, so that the next question can lean on it.
//!
//! A conversation belongs to one owner; whoever asks for another's is told that there is none. What is kept
//! of it is bounded in every direction, and personal data is replaced where it is replaced in runs.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use super::ids::{ConversationId, RunId, SessionId};
use super::record::Moment;
use super::store::{Store, StoreError};
use super::{Caller, Service};

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    session TEXT,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    direct_tokens INTEGER NOT NULL,
    turns TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS conversations_by_owner ON conversations (owner, used_at);
";

/// What is kept of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Conversations of one owner; the one that was unused for longest goes first.
    pub conversations: u32,
    /// Turns of one conversation; the first goes first.
    pub turns: usize,
    /// Letters of a question and of an answer.
    pub letters: usize,
    /// How long after its last use one is kept.
    pub lasts: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        let lasts = Duration::from_secs(7 * 24 * 3600);
        Self { conversations: 200, turns: 50, letters: 32_000, lasts }
    }
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// When it was asked.
    pub at: Moment,
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
    /// The programs that ran for it.
    pub runs: Vec<RunId>,
    /// Tokens that it took.
    pub tokens: u64,
    /// What they cost.
    pub cost: f64,
}

/// A conversation, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// What it is called.
    pub id: ConversationId,
    /// Whose it is.
    pub owner: String,
    /// When it began.
    pub created_at: Moment,
    /// When it was last used.
    pub used_at: Moment,
    /// The session that its programs run in.
    pub session: Option<SessionId>,
    /// Tokens that all of it took, also of turns that are not kept.
    pub tokens: u64,
    /// What they cost.
    pub cost: f64,
    /// What the same work would have taken with tools instead of programs.
    pub direct_tokens: u64,
    /// What was said, the latest last.
    pub turns: Vec<Turn>,
}

/// A conversation without what was said in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    /// What it is called.
    pub id: ConversationId,
    /// When it began.
    pub created_at: Moment,
    /// When it was last used.
    pub used_at: Moment,
    /// Turns that are kept.
    pub turns: u64,
    /// The question of the last of them.
    pub question: Option<String>,
    /// Tokens that all of it took.
    pub tokens: u64,
    /// What they cost.
    pub cost: f64,
    /// What the same work would have taken with tools instead of programs.
    pub direct_tokens: u64,
}

impl Conversation {
    /// One that begins now.
    #[must_use]
    pub fn new(owner: &str) -> Self {
        let now = Moment::now();
        Self {
            id: ConversationId::fresh(),
            owner: owner.to_owned(),
            created_at: now,
            used_at: now,
            session: None,
            tokens: 0,
            cost: 0.0,
            direct_tokens: 0,
            turns: Vec::new(),
        }
    }

    fn within(&mut self, bounds: &Bounds) {
        let most = bounds.turns.max(1);
        let beyond = self.turns.len().saturating_sub(most);
        self.turns.drain(..beyond);
        for text in self.turns.iter_mut().flat_map(|turn| [&mut turn.question, &mut turn.answer]) {
            if let Some((end, _)) = text.char_indices().nth(bounds.letters) {
                text.truncate(end);
                text.push('…');
            }
        }
    }
}

impl Store {
    async fn conversation(&self, id: &ConversationId) -> Result<Option<Conversation>, StoreError> {
        let row = sqlx::query("SELECT * FROM conversations WHERE id = ?")
            .bind(id.as_str())
            .fetch_optional(self.pool())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let wrong = |source| StoreError::Content { what: "a conversation", source };
        let session: Option<String> = row.get("session");
        Ok(Some(Conversation {
            id: id.clone(),
            owner: row.get("owner"),
            created_at: Moment(row.get("created_at")),
            used_at: Moment(row.get("used_at")),
            session: session.and_then(|session| session.parse().ok()),
            tokens: row.get::<i64, _>("tokens").unsigned_abs(),
            cost: row.get("cost"),
            direct_tokens: row.get::<i64, _>("direct_tokens").unsigned_abs(),
            turns: serde_json::from_str(row.get("turns")).map_err(wrong)?,
        }))
    }

    async fn conversations(&self, owner: &str) -> Result<Vec<Heading>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, created_at, used_at, tokens, cost, direct_tokens,
             json_array_length(turns) AS kept, json_extract(turns, '$[#-1].question') AS question
             FROM conversations WHERE owner = ? ORDER BY used_at DESC, rowid DESC",
        )
        .bind(owner)
        .fetch_all(self.pool())
        .await?;
        let heading = |row: &SqliteRow| {
            let count = |column: &str| row.get::<i64, _>(column).unsigned_abs();
            Some(Heading {
                // A name that cannot be read can be asked for by nobody.
                id: row.get::<String, _>("id").parse().ok()?,
                created_at: Moment(row.get("created_at")),
                used_at: Moment(row.get("used_at")),
                turns: count("kept"),
                question: row.get("question"),
                tokens: count("tokens"),
                cost: row.get("cost"),
                direct_tokens: count("direct_tokens"),
            })
        };
        Ok(rows.iter().filter_map(heading).collect())
    }

    async fn write_conversation(&self, one: &Conversation) -> Result<(), StoreError> {
        let wrong = |source| StoreError::Content { what: "a conversation", source };
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        sqlx::query("INSERT OR REPLACE INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(one.id.as_str())
            .bind(&one.owner)
            .bind(one.created_at.0)
            .bind(one.used_at.0)
            .bind(one.session.as_ref().map(SessionId::as_str))
            .bind(whole(one.tokens))
            .bind(one.cost)
            .bind(whole(one.direct_tokens))
            .bind(serde_json::to_string(&one.turns).map_err(wrong)?)
            .execute(self.pool())
            .await?;
        Ok(())
    }

    /// Removes what is old, of anybody, and what is too much, of this owner.
    async fn bound_conversations(&self, owner: &str, bounds: &Bounds) -> Result<(), StoreError> {
        let lasts = i64::try_from(bounds.lasts.as_millis()).unwrap_or(i64::MAX);
        sqlx::query("DELETE FROM conversations WHERE used_at < ?")
            .bind(Moment::now().0.saturating_sub(lasts))
            .execute(self.pool())
            .await?;
        sqlx::query(
            "DELETE FROM conversations WHERE owner = ?1 AND id NOT IN
             (SELECT id FROM conversations WHERE owner = ?1 ORDER BY used_at DESC, rowid DESC LIMIT ?2)",
        )
        .bind(owner)
        .bind(bounds.conversations.max(1))
        .execute(self.pool())
        .await?;
        Ok(())
    }
}

impl Service {
    /// A conversation of this caller; whose it is otherwise, nobody is told.
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: &ConversationId,
    ) -> Result<Option<Conversation>, StoreError> {
        let found = self.parts.store.conversation(id).await?;
        let Some(mut found) = found.filter(|one| one.owner == caller.owner) else {
            return Ok(None);
        };
        if self.tools().hides() {
            let veil = self.tools().veil();
            for text in
                found.turns.iter_mut().flat_map(|turn| [&mut turn.question, &mut turn.answer])
            {
                *text = veil.program_again(&caller.owner, text).await?;
            }
        }
        Ok(Some(found))
    }

    /// The conversations of this caller, the last used first.
    pub async fn conversations(&self, caller: &Caller) -> Result<Vec<Heading>, StoreError> {
        let mut found = self.parts.store.conversations(&caller.owner).await?;
        if self.tools().hides() {
            let veil = self.tools().veil();
            for question in found.iter_mut().filter_map(|one| one.question.as_mut()) {
                *question = veil.program_again(&caller.owner, question).await?;
            }
        }
        Ok(found)
    }

    /// Keeps a conversation, as far as it is to be kept.
    pub async fn keep_conversation(
        &self,
        mut one: Conversation,
        bounds: &Bounds,
    ) -> Result<(), StoreError> {
        one.used_at = Moment::now();
        one.within(bounds);
        if self.tools().hides() {
            let veil = self.tools().veil();
            for text in one.turns.iter_mut().flat_map(|turn| [&mut turn.question, &mut turn.answer])
            {
                *text = veil.program(&one.owner, text).await?;
            }
        }
        self.parts.store.write_conversation(&one).await?;
        self.parts.store.bound_conversations(&one.owner, bounds).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: usize) -> Turn {
        Turn {
            at: Moment(1),
            question: format!("question {number}"),
            answer: "ä".repeat(50),
            runs: vec![RunId::fresh()],
            tokens: 7,
            cost: 0.5,
        }
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded_in_turns_letters_and_conversations() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let bounds = Bounds { conversations: 2, turns: 3, letters: 10, ..Bounds::default() };
        let mut ids = Vec::new();
        for at in 0..4 {
            let mut one = Conversation::new("anna");
            one.used_at = Moment(Moment::now().0 + at);
            one.turns = (0..5).map(turn).collect();
            one.within(&bounds);
            store.write_conversation(&one).await.unwrap();
            store.bound_conversations("anna", &bounds).await.unwrap();
            ids.push(one.id);
        }
        let mut kept = Vec::new();
        for id in &ids {
            kept.push(store.conversation(id).await.unwrap());
        }
        assert!(kept[0].is_none() && kept[1].is_none(), "{kept:?}");
        let last = kept[3].as_ref().unwrap();
        let questions: Vec<&str> = last.turns.iter().map(|turn| turn.question.as_str()).collect();
        // Ten letters fit.
        assert_eq!(questions, ["question 2", "question 3", "question 4"]);
        assert_eq!(last.turns[0].answer.chars().count(), 11);
    }

    #[tokio::test]
    async fn a_list_has_the_last_question_and_what_each_used() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut one = Conversation::new("anna");
        one.turns = (0..3).map(turn).collect();
        (one.tokens, one.cost, one.direct_tokens) = (21, 1.5, 900);
        store.write_conversation(&one).await.unwrap();
        let mut other = Conversation::new("anna");
        other.used_at = Moment(one.used_at.0 + 1);
        store.write_conversation(&other).await.unwrap();
        store.write_conversation(&Conversation::new("bob")).await.unwrap();
        let found = store.conversations("anna").await.unwrap();
        let ids: Vec<&ConversationId> = found.iter().map(|one| &one.id).collect();
        assert_eq!(ids, [&other.id, &one.id]);
        assert_eq!((found[0].turns, found[0].question.as_deref()), (0, None));
        assert_eq!((found[1].turns, found[1].question.as_deref()), (3, Some("question 2")));
        assert_eq!((found[1].tokens, found[1].cost, found[1].direct_tokens), (21, 1.5, 900));
    }

    #[tokio::test]
    async fn what_is_old_goes_whoever_it_belongs_to() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut old = Conversation::new("anna");
        old.used_at = Moment(5);
        store.write_conversation(&old).await.unwrap();
        let young = Conversation::new("bob");
        store.write_conversation(&young).await.unwrap();
        store.bound_conversations("bob", &Bounds::default()).await.unwrap();
        assert_eq!(store.conversation(&old.id).await.unwrap(), None);
        assert_eq!(store.conversation(&young.id).await.unwrap(), Some(young));
    }
}
