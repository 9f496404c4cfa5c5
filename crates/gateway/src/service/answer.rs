//! What of a run goes to whoever asked, and where the rest of it is.
//!
//! An answer has at most so many tokens. What was left out is stored with the run: later programs of
//! its owner find it under `/results`, and both doors give it away page by page.

use std::collections::BTreeMap;
use std::sync::Arc;

use budget::{Shown, Strategy, Whole, share};
use engine::{Folder, Program};
use serde_json::value::{RawValue, to_raw_value};
use tracing::warn;

use super::ids::RunId;
use super::record::{Ended, Record};
use super::session::Entry;
use super::{Caller, Refusal, Service};

/// Answers longer than this are made to fit on another thread.
const LONG: usize = 256 << 10;
/// Bytes of all results that one program can read.
const MOST_BYTES: usize = 64 << 20;

/// What of a run is shown.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Value and output, so that they fit.
    pub shown: Shown,
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
            (kept, Arc::new(Self { shown: unfitted(), most: fit.1 }))
        })
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
    let shown = share(&whole, strategy, most);
    ended.is_cut = shown.cut.is_some();
    (ended, Arc::new(Answer { shown, most }))
}

impl Service {
    /// What a program finds under `/results`: what its session's runs did not show, and the runs it
    /// names.
    pub(super) async fn results(&self, entry: &Entry, program: &Program) -> Option<Arc<Folder>> {
        if !entry.reads_results(|| mentions(program)) {
            return None;
        }
        let mut wanted = entry.results();
        wanted.extend(named(&program.source));
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
            for (name, text) in [
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

    /// A part of what a run returned: `limit` members from `offset` on, of what `pointer` leads to.
    pub async fn page(
        &self,
        caller: &Caller,
        run: &RunId,
        pointer: &str,
        offset: usize,
        limit: usize,
    ) -> Result<Page, Refusal> {
        let record: Record = self.run(caller, run).await?;
        let missing = |why| Refusal::NoPart { run: run.clone(), pointer: pointer.to_owned(), why };
        let Some(ended) = &record.ended else { return Err(missing("it has not ended yet")) };
        let found = budget::page(&ended.return_value, pointer, offset, limit);
        let (total, part) = found.ok_or_else(|| missing("the pointer leads to nothing in it"))?;
        Ok(Page { total, offset, part })
    }
}

/// Whether a program may open a result: most never do, and need none to be fetched for them.
fn mentions(program: &Program) -> bool {
    let said =
        |text: &str| ["/results", "\"results", "'results"].iter().any(|it| text.contains(it));
    said(&program.source) || program.context.values().any(|value| said(value.get()))
}

/// The runs that a source names.
fn named(source: &str) -> Vec<RunId> {
    let places = source.match_indices("r_");
    places.filter_map(|(at, _)| source.get(at..at + 34)?.parse().ok()).take(20).collect()
}
