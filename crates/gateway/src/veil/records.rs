//! What is kept of runs: the same, with tokens in the place of personal data.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use engine::ProgramError;
use privacy::{Tokenizer, Vault};
use serde_json::value::RawValue;

use super::seen::{self, Seen};
use super::{Veil, VeilError};
use crate::service::Record;
use crate::service::record::Ended;

impl Veil {
    /// A run as it may be stored.
    pub(crate) async fn record(&self, record: Record) -> Result<Record, VeilError> {
        let ended = record.ended.as_ref();
        let bytes = record.program.len()
            + ended.map_or(0, |ended| {
                ended.return_value.get().len() + ended.stdout.len() + ended.stderr.len()
            });
        let owner = record.owner.clone();
        self.catch_up(&owner).await?;
        let seen = Arc::clone(&self.seen);
        self.replaced(&owner, bytes, move |tokenizer, vault| {
            let mut record = record;
            let owner = record.owner.clone();
            let mut hides = Hides { seen: &seen, owner: &owner, tokenizer, vault };
            if let Some(program) = hides.in_program(&record.program) {
                record.program = program.into();
            }
            record.ended = record.ended.map(|ended| hides.in_end(ended));
            record
        })
        .await
    }

    /// Reads what was found in answers before this process began, or in another one.
    async fn catch_up(&self, owner: &str) -> Result<(), VeilError> {
        let since = self.seen.read().unwrap_or_else(PoisonError::into_inner).read_until(owner);
        let (kept, until) = self.values.kept_since(owner, since, seen::MOST / 2).await?;
        if !kept.is_empty() {
            self.seen_now().take_kept(owner, &kept, until);
        }
        Ok(())
    }

    /// A program as it may be written down.
    pub(crate) async fn program(&self, owner: &str, program: &str) -> Result<String, VeilError> {
        self.catch_up(owner).await?;
        let (text, owner_of) = (program.to_owned(), owner.to_owned());
        let (bytes, seen) = (text.len(), Arc::clone(&self.seen));
        let replace = move |tokenizer: &Tokenizer, vault: &mut Vault| {
            let mut hides = Hides { seen: &seen, owner: &owner_of, tokenizer, vault };
            hides.in_program(&text).unwrap_or(text)
        };
        self.replaced(owner, bytes, replace).await
    }

    /// A program as it was before it was written down.
    pub(crate) async fn program_again(
        &self,
        owner: &str,
        program: &str,
    ) -> Result<String, VeilError> {
        let known = self.known(owner, program).await?;
        Ok(known
            .map_or_else(|| program.to_owned(), |known| known.restore_text(program).into_owned()))
    }
}

/// Replaces what is personal in what is kept: first what was found in answers, where its field said what it
/// is, then what says so itself.
struct Hides<'a> {
    seen: &'a RwLock<Seen>,
    owner: &'a str,
    tokenizer: &'a Tokenizer,
    vault: &'a mut Vault,
}

impl Hides<'_> {
    fn masked(&self, text: &str) -> Option<String> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner).masked(self.owner, text)
    }

    fn in_program(&mut self, program: &str) -> Option<String> {
        let masked = self.masked(program);
        let hidden = self.tokenizer.tokenize_text(masked.as_deref().unwrap_or(program), self.vault);
        match hidden {
            Cow::Owned(hidden) => Some(hidden),
            Cow::Borrowed(_) => masked,
        }
    }

    fn in_text(&mut self, text: String) -> String {
        let text = self.masked(&text).unwrap_or(text);
        match self.tokenizer.tokenize(&text, self.vault) {
            Cow::Owned(hidden) => hidden,
            Cow::Borrowed(_) => text,
        }
    }

    fn in_value(&mut self, value: Box<RawValue>) -> Box<RawValue> {
        // In a list, a text or a number that is all there is counts as JSON, too.
        let masked = self.masked(&format!("[{}]", value.get()));
        let masked = masked.as_deref().and_then(|list| list.strip_prefix('[')?.strip_suffix(']'));
        let masked = masked.and_then(|json| RawValue::from_string(json.to_owned()).ok());
        let value = masked.unwrap_or(value);
        match self.tokenizer.tokenize_json(value.get(), self.vault) {
            Ok(Cow::Borrowed(_)) => value,
            Ok(Cow::Owned(json)) => RawValue::from_string(json).unwrap_or(value),
            // Nested too deep to be looked through: better nothing than somebody's data.
            Err(_) => {
                let words = r#""a value that is nested too deep is not kept""#;
                RawValue::from_string(words.to_owned()).unwrap_or(value)
            }
        }
    }

    fn in_end(&mut self, ended: Ended) -> Ended {
        Ended {
            return_value: self.in_value(ended.return_value),
            stdout: self.in_text(ended.stdout),
            stderr: self.in_text(ended.stderr),
            error: ended.error.map(|error| ProgramError {
                message: self.in_text(error.message),
                hint: error.hint.map(|text| self.in_text(text)),
                traceback: error.traceback.map(|text| self.in_text(text)),
                source_line: error.source_line.map(|text| self.in_text(text)),
                ..error
            }),
            note: ended.note.map(|text| self.in_text(text)),
            ..ended
        }
    }
}
