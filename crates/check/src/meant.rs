//! The tools that somebody may have meant by a name that no tool has.
//!
//! A name that is misspelt looks like the right one. A name that was guessed shares words with it, or
//! with what is said about it; and who wants to list something does not mean a tool that changes it.

use catalog::CatalogTool;
use catalog::names::words;

use crate::nearest::{is_slip, nearest};

/// The most tools that are named.
const MOST: usize = 3;
/// Words of a description that are looked at.
const MOST_WORDS: usize = 60;

const READS: &[&str] = &[
    "count", "describe", "fetch", "find", "get", "list", "load", "look", "lookup", "query", "read",
    "search", "show", "view",
];
const WRITES: &[&str] = &[
    "add", "append", "checkout", "clear", "commit", "create", "delete", "drop", "edit", "insert",
    "merge", "move", "push", "remove", "rename", "replace", "reset", "send", "set", "update",
    "upload", "write",
];

/// What may have been meant.
pub(crate) struct Meant<'t> {
    /// The one that certainly was, or looks most like it.
    pub(crate) nearest: Option<&'t CatalogTool>,
    /// Those that may have been, the likeliest first.
    pub(crate) likely: Vec<&'t CatalogTool>,
}

/// The tools among `tools` that may have been meant by `wanted`, which is called with `given`.
pub(crate) fn by<'t>(
    wanted: &str,
    given: &[&str],
    tools: impl Iterator<Item = &'t CatalogTool> + Clone,
) -> Meant<'t> {
    let slip = tools.clone().find(|tool| is_slip(wanted, tool.python()));
    if let Some(tool) = slip {
        return Meant { nearest: Some(tool), likely: vec![tool] };
    }
    let near = nearest(wanted, tools.clone().map(CatalogTool::python));
    let wanted = stems(wanted);
    let mut scored: Vec<(i32, &CatalogTool)> = tools
        .map(|tool| (score(&wanted, given, near, tool), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, tool)| (std::cmp::Reverse(*score), tool.python().len()));
    let is_clear = match &scored[..] {
        [] => false,
        [_] => true,
        [(first, _), (second, _), ..] => *first >= second + 3,
    };
    let nearest = scored.first().filter(|_| is_clear).map(|(_, tool)| *tool);
    Meant { nearest, likely: scored.into_iter().take(MOST).map(|(_, tool)| tool).collect() }
}

fn score(wanted: &[String], given: &[&str], near: Option<&str>, tool: &CatalogTool) -> i32 {
    let named = stems(tool.python());
    let told: Vec<String> =
        tool.tool().description.iter().flat_map(|text| stems(text)).take(MOST_WORDS).collect();
    let mut score = if near == Some(tool.python()) { 2 } else { 0 };
    for word in wanted.iter().filter(|word| !is_one_of(READS, word)) {
        if named.contains(word) {
            score += 4;
        } else if told.contains(word) {
            score += 2;
        }
    }
    // Whoever guessed the name may have guessed the parameters right.
    let parameters = tool.tool().input_schema.get("properties").and_then(|all| all.as_object());
    let has = |name: &&&str| parameters.is_some_and(|all| all.contains_key(**name));
    let fitting = given.iter().filter(has).count();
    if fitting == given.len() {
        score += 2 * i32::try_from(fitting.min(3)).unwrap_or_default();
    }
    let annotations = &tool.tool().annotations;
    let writes = annotations.read_only_hint == Some(false)
        && annotations.destructive_hint == Some(true)
        || named.iter().any(|word| is_one_of(WRITES, word));
    // The verb comes first: who wants to list commits does not want to commit.
    let wants_to_read = wanted.first().is_some_and(|word| is_one_of(READS, word));
    if score > 0 && wants_to_read {
        score += if writes { -3 } else { 1 };
    }
    score
}

fn is_one_of(verbs: &[&str], word: &str) -> bool {
    verbs.contains(&word)
}

/// The words of a name or a sentence, without the end of a plural.
fn stems(text: &str) -> Vec<String> {
    let stem = |word: String| match word.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => word,
    };
    text.split(|letter: char| !letter.is_alphanumeric())
        .flat_map(words)
        .map(|word| stem(word.to_lowercase()))
        .filter(|word| word.len() > 2)
        .collect()
}
