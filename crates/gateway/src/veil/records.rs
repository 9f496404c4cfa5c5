//! What is kept of runs: the same, with tokens in the place of personal data.

use std::borrow::Cow;

use engine::ProgramError;
use privacy::{Tokenizer, Vault};
use serde_json::value::RawValue;

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
        self.replaced(&owner, bytes, move |tokenizer, vault| {
            let mut record = record;
            if let Cow::Owned(program) = tokenizer.tokenize_text(&record.program, vault) {
                record.program = program.into();
            }
            record.ended = record.ended.map(|ended| hidden(tokenizer, vault, ended));
            record
        })
        .await
    }

    /// A program as it may be written down.
    pub(crate) async fn program(&self, owner: &str, program: &str) -> Result<String, VeilError> {
        let text = program.to_owned();
        let bytes = text.len();
        let replace = move |tokenizer: &Tokenizer, vault: &mut Vault| {
            tokenizer.tokenize_text(&text, vault).into_owned()
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

fn hidden(tokenizer: &Tokenizer, vault: &mut Vault, ended: Ended) -> Ended {
    let value = match tokenizer.tokenize_json(ended.return_value.get(), vault) {
        Ok(Cow::Borrowed(_)) => None,
        Ok(Cow::Owned(json)) => RawValue::from_string(json).ok(),
        // Nested too deep to be looked through: better nothing than somebody's data.
        Err(_) => {
            RawValue::from_string(r#""a value that is nested too deep is not kept""#.into()).ok()
        }
    };
    let mut text = |text: String| {
        match tokenizer.tokenize(&text, vault) {
            Cow::Borrowed(_) => None,
            Cow::Owned(replaced) => Some(replaced),
        }
        .unwrap_or(text)
    };
    Ended {
        return_value: value.unwrap_or(ended.return_value),
        stdout: text(ended.stdout),
        stderr: text(ended.stderr),
        error: ended.error.map(|error| ProgramError {
            message: text(error.message),
            hint: error.hint.map(&mut text),
            traceback: error.traceback.map(&mut text),
            source_line: error.source_line.map(&mut text),
            ..error
        }),
        note: ended.note.map(&mut text),
        ..ended
    }
}
