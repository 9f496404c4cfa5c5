//! What of a run goes to whoever asked, and where the rest of it is.
//!
//! An answer has at most so many tokens. What was left out is stored with the run: later programs of
//! its owner find it under `/results`, and both doors give it away page by page.

use std::collections::BTreeMap;
use std::sync::Arc;

use budget::{Shown, Strategy, Whole, share};
use engine::{Artifact, Folder, Program, ProgramError};
use serde_json::value::{RawValue, to_raw_value};
use tracing::warn;

use super::ids::{RunId, SessionId};
use super::record::{Ended, Record};
use super::session::Entry;
use super::{Caller, Refusal, Service, lock};

/// Variables with more bytes are data, and are searched for names of runs only where an analysis
/// has them.
const SHORT: usize = 4_096;

/// The name under which an analysis is told of one.
const RESULT: &str = "\"result\"";

/// Answers longer than this are made to fit on another thread.
const LONG: usize = 256 << 10;
/// Bytes of all results that one program can read.
const MOST_BYTES: usize = 64 << 20;

/// What of a run is shown.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Value and output, so that they fit.
    pub shown: Shown,
    /// Why it failed, so that this fits, too.
    pub error: Option<ProgramError>,
    /// Whether that is less than all of it.
    pub is_error_cut: bool,
    /// How many tokens all of this has.
    pub tokens: usize,
    /// How it was made to fit.
    pub strategy: Strategy,
    /// How many tokens they may have.
    pub most: usize,
}

/// A part of a result.
#[derive(Debug, Clone)]
pub struct Page {
    /// Members of the list, fields of the object, or letters of the text that there are.
    pub total: usize,
    /// Where this part starts.
    pub offset: usize,
    /// The part: a list, an object or a text.
    pub part: Box<RawValue>,
}

/// What of a run is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Of {
    /// What it returned.
    #[default]
    Value,
    /// What it printed.
    Stdout,
    /// What it wrote to standard error.
    Stderr,
    /// Why it failed.
    Error,
}

impl std::str::FromStr for Of {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        Ok(match given {
            "value" | "result" => Self::Value,
            "stdout" => Self::Stdout,
            "stderr" => Self::Stderr,
            "error" => Self::Error,
            _ => return Err(format!("{given:?} is none of value, stdout, stderr, error")),
        })
    }
}

/// Which part of what a run left is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Of what.
    pub of: Of,
    /// Where in it, as a JSON pointer; empty for the whole.
    pub pointer: &'a str,
    /// Members to skip.
    pub offset: usize,
    /// How many at most, where it is said.
    pub limit: Option<usize>,
    /// Bytes of the page, about.
    pub most: usize,
}

impl Answer {
    /// How a run ended, and what of it is shown.
    pub(super) async fn of(ended: Ended, fit: (Strategy, usize)) -> (Ended, Arc<Self>) {
        let length = ended.return_value.get().len() + ended.stdout.len() + ended.stderr.len();
        if length < LONG {
            return fitted(ended, fit);
        }
        let mut kept = ended.clone();
        tokio::task::spawn_blocking(move || fitted(ended, fit)).await.unwrap_or_else(|error| {
            // It panicked, which must not lose the run.
            warn!(%error, "an answer could not be shortened");
            kept.is_cut = true;
            let (error, is_error_cut) = (kept.error.clone(), false);
            let shown = unfitted();
            let tokens = shown.tokens;
            let (strategy, most) = fit;
            (kept, Arc::new(Self { shown, error, is_error_cut, tokens, strategy, most }))
        })
    }
}

impl Service {
    /// A run with what of it is shown, and the files it produced, also if it ended long ago.
    pub async fn answered(
        &self,
        caller: &Caller,
        id: &RunId,
    ) -> Result<(Record, Vec<Artifact>), Refusal> {
        let mut record = self.run(caller, id).await?;
        let Some(ended) = record.ended.clone() else { return Ok((record, Vec::new())) };
        let mut artifacts = Vec::with_capacity(ended.artifacts.len());
        for note in &ended.artifacts {
            let (media_type, data) = self.artifact(caller, id, &note.name).await?;
            artifacts.push(Artifact { name: note.name.clone(), media_type, data });
        }
        if record.answer.is_none() {
            let fit = ended.fit.unwrap_or((Strategy::Auto, self.settings.output_tokens));
            record.answer = Some(Answer::of(ended, fit).await.1);
        }
        Ok((record, artifacts))
    }
}

/// What is shown where cutting failed.
fn unfitted() -> Shown {
    let words = "the result could not be shortened, which is a fault of Tidegate; \
                 all of it is under /results, or page through it";
    let value = to_raw_value(words).unwrap_or_else(|_| RawValue::NULL.to_owned());
    let tokens = budget::count(value.get());
    Shown { value, stdout: String::new(), stderr: String::new(), cut: None, tokens }
}

fn fitted(mut ended: Ended, (strategy, most): (Strategy, usize)) -> (Ended, Arc<Answer>) {
    let whole = Whole { value: &ended.return_value, stdout: &ended.stdout, stderr: &ended.stderr };
    // Most of an answer that says why it failed is that; what was printed has the rest.
    let (error, error_tokens) = match &ended.error {
        Some(error) if strategy == Strategy::None => (Some(error.clone()), 0),
        Some(error) => {
            let (error, tokens) = brief(error, most * 7 / 10);
            (Some(error), tokens)
        }
        None => (None, 0),
    };
    let shown = share(&whole, strategy, most - error_tokens);
    let is_error_cut = error != ended.error;
    ended.is_cut = shown.cut.is_some() || is_error_cut;
    // One that failed has no value, not even `null`.
    let tokens = shown.tokens.saturating_sub(usize::from(error.is_some())) + error_tokens;
    (ended, Arc::new(Answer { shown, error, is_error_cut, tokens, strategy, most }))
}

/// An error in at most so many tokens, and how many it has.
fn brief(error: &ProgramError, most: usize) -> (ProgramError, usize) {
    let mut brief = error.clone();
    let used = tokens_of(&brief);
    if used <= most {
        return (brief, used);
    }
    brief.kind = budget::beginning(&error.kind, most / 4);
    let texts = [
        (error.message.as_str(), 50),
        (error.hint.as_deref().unwrap_or_default(), 20),
        (error.traceback.as_deref().unwrap_or_default(), 15),
        (error.source_line.as_deref().unwrap_or_default(), 15),
    ];
    let most = most - budget::count_text(&brief.kind);
    let [message, hint, traceback, source_line] = budget::together(texts, most);
    brief.message = message;
    brief.hint = brief.hint.map(|_| hint);
    brief.traceback = brief.traceback.map(|_| traceback);
    brief.source_line = brief.source_line.map(|_| source_line);
    let used = tokens_of(&brief);
    (brief, used)
}

/// Tokens of the words of an error.
pub(super) fn tokens_of(error: &ProgramError) -> usize {
    let more = [&error.hint, &error.traceback, &error.source_line];
    budget::count_text(&error.kind)
        + budget::count_text(&error.message)
        + more.into_iter().flatten().map(|text| budget::count_text(text)).sum::<usize>()
}

impl Service {
    /// What a program finds under `/results`: what its session's runs did not show, and the runs it
    /// names.
    pub(super) async fn results(&self, entry: &Entry, program: &Program) -> Option<Arc<Folder>> {
        if !entry.reads_results(|| mentions(program)) {
            return None;
        }
        let mut wanted = entry.results();
        wanted.extend(named(program));
        if wanted.is_empty() {
            return None;
        }
        let mut files = BTreeMap::new();
        let mut bytes = 0;
        // The latest first, should there be too many.
        for id in wanted.iter().rev() {
            let Ok(Some(record)) = self.parts.store.run(id).await else { continue };
            let Some(ended) = record.ended.filter(|_| record.owner == entry.owner) else {
                continue;
            };
            if record.session != entry.id && !self.may_be_read_in(&record.session, entry).await {
                continue;
            }
            let error = ended.error.as_ref().map(serde_json::to_string).and_then(Result::ok);
            for (name, text) in [
                (format!("{id}.error.json"), error.as_deref().unwrap_or_default()),
                (format!("{id}.json"), ended.return_value.get()),
                (format!("{id}.stdout.txt"), &ended.stdout),
                (format!("{id}.stderr.txt"), &ended.stderr),
            ] {
                bytes += text.len();
                if bytes <= MOST_BYTES && !text.is_empty() {
                    files.insert(name, Arc::from(text.as_bytes()));
                }
            }
        }
        Some(Arc::new(Folder::new(files)))
    }

    /// What another session's programs left brings along what that session has read, where rules care.
    async fn may_be_read_in(&self, from: &SessionId, entry: &Entry) -> bool {
        let judge = self.parts.tools.judge();
        if judge.policy().flow().is_empty() {
            return true;
        }
        let is_there = lock(&self.sessions).values().any(|other| other.id == *from);
        let labelled = if is_there {
            judge.inherits(from.as_str(), entry.id.as_str()).await
        } else {
            // Nobody remembers what a session had read that is no more.
            judge.comes_from_anywhere(entry.id.as_str()).await
        };
        labelled.is_ok()
    }

    /// A part of what a run left, as `wanted` says.
    pub async fn page(
        &self,
        caller: &Caller,
        run: &RunId,
        wanted: &Wanted<'_>,
    ) -> Result<Page, Refusal> {
        let Wanted { of, pointer, offset, limit, most } = *wanted;
        let record: Record = self.run(caller, run).await?;
        let missing = |why| Refusal::NoPart { run: run.clone(), pointer: pointer.to_owned(), why };
        let Some(ended) = &record.ended else { return Err(missing("it has not ended yet")) };
        let printed =
            |text: &String| to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
        let whole = match of {
            Of::Value => ended.return_value.clone(),
            Of::Stdout => printed(&ended.stdout),
            Of::Stderr => printed(&ended.stderr),
            Of::Error => to_raw_value(&ended.error).unwrap_or_else(|_| RawValue::NULL.to_owned()),
        };
        let found = budget::page(&whole, pointer, offset, limit, most);
        let (total, part) = found.ok_or_else(|| {
            let begins = pointer.is_empty() || pointer.starts_with('/');
            missing(if begins {
                "the pointer leads to nothing in it"
            } else {
                "a pointer begins with `/`, such as `/rows/3`"
            })
        })?;
        Ok(Page { total, offset, part })
    }
}

/// Whether a program may open a result: most never do, and need none to be fetched for them.
fn mentions(program: &Program) -> bool {
    let said =
        |text: &str| ["/results", "\"results", "'results"].iter().any(|it| text.contains(it));
    let texts = std::iter::once(program.source.as_str())
        .chain(program.context.values().map(|value| value.get()));
    texts.into_iter().any(said) || !named(program).is_empty()
}

/// The runs that a program or its variables name: an analysis has its handle in the latter.
fn named(program: &Program) -> Vec<RunId> {
    let variables = || program.context.values().map(|value| value.get());
    let short = variables().filter(|text| text.len() <= SHORT);
    let texts = std::iter::once(program.source.as_str()).chain(short);
    let places = texts.flat_map(|text| text.match_indices("r_").map(move |(at, _)| &text[at..]));
    let long = variables().filter(|text| text.len() > SHORT).flat_map(handles);
    places.chain(long).filter_map(|text| text.get(..34)?.parse().ok()).take(20).collect()
}

/// Where a request with rows of its own says which earlier result it wants, too.
fn handles(text: &str) -> impl Iterator<Item = &str> {
    let after = text.match_indices(RESULT).map(|(at, _)| text[at + RESULT.len()..].trim_start());
    after.filter_map(|rest| rest.strip_prefix(':')?.trim_start().strip_prefix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_request_names_its_results_and_no_others() {
        let ids: Vec<RunId> = (0..3).map(|_| RunId::fresh()).collect();
        let rows = "1,".repeat(SHORT);
        let request = format!(
            r#"{{"data": {{"result" : "{}"}}, "with": {{"result":"{}"}}, "rows": [{rows}"{}"]}}"#,
            ids[0], ids[1], ids[2]
        );
        let variable = RawValue::from_string(request).unwrap();
        let context = engine::Context::from([("request".to_owned(), variable)]);
        let program = Program { source: "return 1".to_owned(), context, ..Program::default() };
        assert_eq!(named(&program), ids[..2]);
        assert!(mentions(&program));
    }
}
