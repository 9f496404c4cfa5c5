//! Which files there are for a server, under which names.
//!
//! A server's folder has the name of its Python package, in both languages. Whoever knows a
//! server or a tool by its own name finds it by that as well: the same files are there again
//! under the server's name, and each tool's file under the tool's. The texts are shared, so
//! this costs no more than the paths.
//!
//! On a disk some of these names cannot be: a compiler refuses two that differ in case only, and what
//! is in a folder below imports from the wrong place, and some file systems refuse a colon. Where files are
//! only read, [`unwritten`] has them too.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use crate::SourceFile;
use crate::target::Server;
use crate::text;

/// Longest file name taken over from a server, in bytes, without its ending.
const LONGEST: usize = 240;
/// What stands beside the folders of the servers.
const BESIDE: &[&str] = &["__init__.py", "__pycache__", "client.ts", "readme.md"];

/// Whether two names may differ in case only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// They may if they mean the same file: where case is ignored, one is written over the other.
    Free,
    /// They must not, because the language's compiler refuses to see both.
    Strict,
}

/// The files of one folder, as they are collected.
pub(crate) struct Layout {
    case: Case,
    files: Vec<(String, Arc<str>)>,
    names: HashSet<String>,
    /// What is in the file that has a name, in lower case.
    folded: HashMap<String, Arc<str>>,
}

impl Layout {
    pub(crate) fn new(case: Case) -> Self {
        Self { case, files: Vec::new(), names: HashSet::new(), folded: HashMap::new() }
    }

    /// Adds a file unless another is in the way.
    pub(crate) fn add(&mut self, name: String, text: impl Into<Arc<str>>) {
        let text = text.into();
        if let Some(known) = self.folded.get(&name.to_lowercase())
            && (self.case == Case::Strict || !Arc::ptr_eq(known, &text))
        {
            return;
        }
        if self.names.insert(name.clone()) {
            self.folded.insert(name.to_lowercase(), Arc::clone(&text));
            self.files.push((name, text));
        }
    }

    /// Adds `text` under a tool's own name as well, where that can be the name of a file.
    pub(crate) fn add_original(&mut self, name: &str, ending: &str, text: &Arc<str>) {
        if is_safe(name) {
            self.add(format!("{name}.{ending}"), Arc::clone(text));
        }
    }

    /// The files with their paths, under each name of the server.
    pub(crate) fn finish(self, server: &Server<'_>) -> Vec<SourceFile> {
        let original = Some(server.name).filter(|name| {
            let same = match self.case {
                Case::Free => *name == server.package,
                // In lower case it may be the folder of another server.
                Case::Strict => {
                    name.to_lowercase() == server.package.to_lowercase()
                        || name.to_lowercase() != **name
                }
            };
            !same && is_safe(name) && !BESIDE.contains(&name.to_lowercase().as_str())
        });
        let folders = [Some(server.package), original];
        let files = folders.into_iter().flatten().flat_map(|folder| {
            self.files.iter().map(move |(name, text)| SourceFile {
                path: format!("{folder}/{name}"),
                text: Arc::clone(text),
            })
        });
        files.collect()
    }
}

/// The files of a server under its tools' own names that are not among `files`: `GetDocument.ts` beside
/// `getDocument.ts`, and `documents/get.py`, where a name has slashes.
pub(crate) fn unwritten(server: &Server<'_>, files: &[SourceFile]) -> Vec<SourceFile> {
    let known: HashMap<&str, &Arc<str>> =
        files.iter().map(|file| (file.path.as_str(), &file.text)).collect();
    let original = Some(server.name).filter(|name| {
        *name != server.package
            && is_readable(name)
            && !BESIDE.contains(&name.to_lowercase().as_str())
    });
    let mut added: HashMap<String, SourceFile> = HashMap::new();
    let mut order = Vec::new();
    for target in &server.tools {
        for (identifier, ending) in [(target.python, "py"), (target.typescript, "ts")] {
            let path = format!("{}/{identifier}.{ending}", server.package);
            let Some(text) = known.get(path.as_str()) else { continue };
            let names = [target.tool.name.0.as_str(), identifier];
            for folder in [Some(server.package), original].into_iter().flatten() {
                for name in names.into_iter().filter(|name| name.split('/').all(is_readable)) {
                    let path = format!("{folder}/{name}.{ending}");
                    // A file is no folder that others are in.
                    let is_below = path.match_indices('/').any(|(at, _)| {
                        known.contains_key(&path[..at]) || added.contains_key(&path[..at])
                    });
                    if !is_below && !known.contains_key(path.as_str()) && !added.contains_key(&path)
                    {
                        order.push(path.clone());
                        added.insert(path.clone(), SourceFile { path, text: Arc::clone(text) });
                    }
                }
            }
        }
    }
    order.into_iter().filter_map(|path| added.remove(&path)).collect()
}

/// A name that no file system and no shell takes for something else.
fn is_safe(name: &str) -> bool {
    let plain = |character: char| character.is_alphanumeric() || "-_. +@".contains(character);
    !name.is_empty()
        && name.len() <= LONGEST
        && name.chars().all(plain)
        && !name.starts_with(['.', '-', ' '])
        && !name.ends_with(['.', ' '])
}

/// A name that one who reads can be given, where nothing is written to a disk: `ns:tool` as well. One with
/// letters that nobody sees, or that turn the others round, would be taken for another.
fn is_readable(name: &str) -> bool {
    let plain = |character: char| !text::is_hidden(character) && character != '\\';
    !name.is_empty()
        && name.len() <= LONGEST
        && name.chars().all(plain)
        && !name.starts_with(['.', ' '])
        && !name.ends_with(' ')
}

/// `.server.json`: what the folder is about, for whoever looks before importing.
pub(crate) fn server_json(server: &Server<'_>) -> String {
    #[derive(Serialize)]
    struct About<'a> {
        name: &'a str,
        package: &'a str,
        title: Option<String>,
        version: Option<String>,
        description: Option<String>,
        tool_count: usize,
        tools: Vec<&'a str>,
    }

    let listing = server.listing;
    let line = |text: &Option<String>| text.as_ref().map(|text| text::one_line(text, 200));
    let about = About {
        name: server.name,
        package: server.package,
        title: line(&listing.title),
        version: line(&listing.version),
        description: listing.description.as_ref().map(|text| text::paragraph(text, 4_000)),
        tool_count: server.tools.len(),
        tools: server.tools.iter().map(|target| target.tool.name.0.as_str()).collect(),
    };
    let mut json = serde_json::to_string_pretty(&about).unwrap_or_default();
    json.push('\n');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_names_become_files() {
        let fine = ["getDocument", "a.b", "get-sum", "日本語", "my tool"].map(is_safe);
        assert_eq!(fine, [true; 5]);
        let not = ["", ".", "..", "a/b", "a\\b", "-rf", ".hidden", "a\0", "a:b", "x."].map(is_safe);
        assert_eq!(not, [false; 10]);
        assert!(is_safe(&"x".repeat(200)) && !is_safe(&"x".repeat(250)));
    }

    #[test]
    fn what_is_only_read_may_have_names_that_no_disk_takes() {
        let fine = ["ns:tool", "emoji😀", "a*b", "-rf", "v1.", "getDocument"].map(is_readable);
        assert_eq!(fine, [true; 6]);
        let not = ["", ".", "..", ".hidden", "a\\b", "a\0", "a\n", " a"].map(is_readable);
        assert_eq!(not, [false; 8]);
        let unseen =
            ["pay\u{202e}yap", "pay\u{2066}", "pa\u{200b}y", "pay\u{e0041}", "\u{feff}pay"];
        assert_eq!(unseen.map(is_readable), [false; 5]);
    }

    /// How many files there are when `Index` is added to `index`.
    fn with(case: Case, texts: [&Arc<str>; 2]) -> usize {
        let mut layout = Layout::new(case);
        layout.add("index.ts".to_owned(), Arc::clone(texts[0]));
        layout.add_original("Index", "ts", texts[1]);
        layout.add_original("Index", "ts", texts[1]);
        layout.files.len()
    }

    #[test]
    fn names_that_differ_in_case_only_are_the_same_file_or_not_there() {
        let [one, other]: [Arc<str>; 2] = ["one".into(), "other".into()];
        assert_eq!(with(Case::Free, [&one, &one]), 2);
        assert_eq!(with(Case::Free, [&one, &other]), 1);
        assert_eq!(with(Case::Strict, [&one, &one]), 1);
    }
}
