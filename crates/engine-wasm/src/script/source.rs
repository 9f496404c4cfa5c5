//! Programs and modules as the guest takes them: JavaScript, and the way back to what was written.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use engine::Digest;
use serde::Serialize;
use typescript::{Prepared, Problem};

use crate::threads::lock;

/// A text the guest can run, or why it cannot.
#[derive(Debug, Serialize)]
pub(crate) struct Source<'a> {
    /// What was written, for the lines that errors show.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_async: Option<bool>,
    /// As text: it is read only when something fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Complaint>,
}

#[derive(Debug, Serialize)]
struct Complaint {
    message: String,
    line: Option<u32>,
    column: Option<u32>,
    source_line: Option<String>,
    hint: Option<String>,
}

/// A program.
pub(crate) fn prepared(text: &str) -> Source<'_> {
    source(Some(text), typescript::program(text))
}

/// A file that is imported, as JSON.
pub(super) fn module(text: &str) -> serde_json::Result<Arc<str>> {
    let key = Digest::of(text.as_bytes());
    if let Some(known) = lock(&LATELY).get(&key) {
        return Ok(Arc::clone(known));
    }
    let prepared = with_room(|| typescript::module(text));
    let made: Arc<str> = serde_json::to_string(&source(None, prepared))?.into();
    if made.len() <= LONGEST_KEPT {
        let mut lately = lock(&LATELY);
        if lately.len() >= MOST_KEPT {
            lately.clear();
        }
        lately.insert(key, Arc::clone(&made));
    }
    Ok(made)
}

/// Does something that may need all the stack that reading a text can take. A file is imported from within
/// the guest, which may have used up nearly all of its thread's, and whoever overflows it ends the process.
fn with_room<T: Send>(task: impl FnOnce() -> Result<T, Problem> + Send) -> Result<T, Problem> {
    let none = || Problem {
        message: "the file could not be read: this machine has no thread left for it".to_owned(),
        place: None,
        source_line: None,
        hint: Some("Import fewer files at once, or try again later.".to_owned()),
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("module".to_owned()).stack_size(STACK);
        let read = thread.spawn_scoped(scope, task).map_err(|_| none())?;
        read.join().unwrap_or_else(|_| Err(none()))
    })
}

/// The same as a guest has for its program.
const STACK: usize = crate::threads::STACK;

/// Files that were imported lately, by their content: the same few bindings in every session.
static LATELY: LazyLock<Mutex<HashMap<Digest, Arc<str>>>> = LazyLock::new(Mutex::default);

const MOST_KEPT: usize = 500;
const LONGEST_KEPT: usize = 64 << 10;

fn source(text: Option<&str>, made: Result<Prepared, Problem>) -> Source<'_> {
    let nothing = Source { text, code: None, is_async: None, positions: None, problem: None };
    match made {
        Ok(prepared) => Source {
            is_async: Some(prepared.is_async),
            positions: Some(written(prepared.positions())),
            code: Some(prepared.code),
            ..nothing
        },
        Err(problem) => Source {
            problem: Some(Complaint {
                message: problem.message,
                line: problem.place.map(|place| place.line),
                column: problem.place.map(|place| place.column),
                source_line: problem.source_line,
                hint: problem.hint,
            }),
            ..nothing
        },
    }
}

/// The positions as JSON.
fn written(positions: &[[u32; 4]]) -> String {
    // Numbers in lists cannot fail to be written.
    serde_json::to_string(positions).unwrap_or_else(|_| "[]".to_owned())
}
