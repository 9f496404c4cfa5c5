//! Identifiers for what servers call their things.
//!
//! A server may call a tool anything at all. A program wants an identifier, and generated files
//! want names that stay apart on a file system that ignores case. What holds:
//!
//! * **Valid.** Each identifier can be written in its language and is no reserved word there.
//! * **Unique.** No two names of one list share an identifier, not even when case is ignored.
//! * **Stable.** An identifier depends on which names there are, never on their order; a name
//!   that is an identifier already keeps its spelling, and nothing else can take it away.
//! * **Reversible.** [`Catalog::resolve`](crate::Catalog::resolve) leads from every identifier
//!   back to the name it stands for.
//!
//! | name | Python | TypeScript |
//! | --- | --- | --- |
//! | `createIssue`, `create-issue` | `create_issue` | `createIssue` |
//! | `HTTPServer`, `getDocument2` | `http_server`, `get_document2` | `httpServer`, `getDocument2` |
//! | `delete`, `import` | `delete`, `import_` | `delete_`, `import_` |
//! | `3d model` | `tool_3d_model` | `tool3dModel` |
//! | `a.b` beside `a/b` | `a_b_` and six hex digits each | `aB_` and six hex digits each |

mod parameters;
mod reserved;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

pub use parameters::parameters;
pub use reserved::THENABLE;
pub use words::{fold, words};

/// The longest identifier, in characters.
pub const LONGEST: usize = 80;

/// What is being named. It decides which words are taken and what stands in for a name without
/// a single letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A server: a Python package, a folder.
    Server,
    /// A tool: a function and the file it is in.
    Tool,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Tool => "tool",
        }
    }
}

/// The Python identifier of each of `names`, in their order. `names` has no duplicates.
#[must_use]
pub fn python(kind: Kind, names: &[&str]) -> Vec<String> {
    assign(Language::Python, kind, names)
}

/// The TypeScript identifier of each of `names`, in their order. `names` has no duplicates.
#[must_use]
pub fn typescript(kind: Kind, names: &[&str]) -> Vec<String> {
    assign(Language::TypeScript, kind, names)
}

/// `name` as the name of a type in either language: `create-issue` is `CreateIssue`. Starts with
/// a letter, is never empty and not unique.
#[must_use]
pub fn pascal(name: &str) -> String {
    let pascal = words(name).iter().map(|word| words::capitalised(word)).collect();
    let mut pascal = words::composed(pascal);
    if !pascal.starts_with(words::is_start) {
        pascal.insert_str(0, "The");
    }
    pascal.chars().take(LONGEST).collect()
}

#[derive(Clone, Copy)]
enum Language {
    Python,
    TypeScript,
}

impl Language {
    /// `name` is written the way we would write it.
    fn owns(self, kind: Kind, name: &str) -> bool {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.len() <= LONGEST
            && name.chars().all(|character| match self {
                Self::Python => {
                    character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
                }
                Self::TypeScript => character.is_ascii_alphanumeric(),
            })
            && !self.reserves(kind, name)
    }

    fn join(self, words: &[String]) -> String {
        match self {
            Self::Python => words.join("_"),
            Self::TypeScript => {
                let mut words = words.iter();
                let first = words.next().cloned().unwrap_or_default();
                let joined = words.fold(first, |joined, word| joined + &words::capitalised(word));
                words::composed(joined)
            }
        }
    }

    fn reserves(self, kind: Kind, identifier: &str) -> bool {
        match self {
            Self::Python => reserved::in_python(kind, identifier),
            Self::TypeScript => reserved::in_typescript(kind, identifier),
        }
    }

    /// What `name` is called when no other name wants to be called the same.
    fn candidate(self, kind: Kind, name: &str) -> String {
        if self.owns(kind, name) {
            return name.to_owned();
        }
        let mut words = words(name);
        if !words.first().is_some_and(|word| word.starts_with(words::is_start)) {
            words.insert(0, kind.word().to_owned());
        }
        let mut identifier = self.join(&words);
        if self.reserves(kind, &identifier) {
            identifier.push('_');
        }
        if identifier.chars().count() > LONGEST || words::is_cut(name) {
            identifier = suffixed(&identifier, name, 8);
        }
        identifier
    }
}

/// Decides who is called what. Of several names that want the same identifier, the one that is
/// spelled exactly so keeps it. All others get a suffix made from the name itself, also when
/// nobody keeps the identifier: otherwise a tool that appears later could become what a program
/// already calls.
fn assign(language: Language, kind: Kind, names: &[&str]) -> Vec<String> {
    let candidates: Vec<String> = names.iter().map(|name| language.candidate(kind, name)).collect();
    let mut wanted: HashMap<String, Vec<usize>> = HashMap::with_capacity(names.len());
    for (position, candidate) in candidates.iter().enumerate() {
        wanted.entry(case_folded(candidate)).or_default().push(position);
    }

    let mut taken: HashSet<String> = HashSet::with_capacity(names.len());
    // Sorted by name, so that the order of the list decides nothing.
    let mut contested: BTreeMap<&str, usize> = BTreeMap::new();
    for (folded, positions) in wanted {
        let keeps =
            |position: &usize| positions.len() == 1 || names[*position] == candidates[*position];
        // Two spellings may differ in case only; then neither is more right than the other.
        let keepers: Vec<usize> = positions.iter().copied().filter(keeps).collect();
        let keeper = if let [only] = keepers[..] { Some(only) } else { None };
        if keeper.is_some() {
            taken.insert(folded);
        }
        contested.extend(
            positions.iter().filter(|position| Some(**position) != keeper).map(|p| (names[*p], *p)),
        );
    }

    // No suffix may make an identifier that is the very name of another.
    let known: HashSet<&str> = names.iter().copied().collect();
    let mut identifiers = candidates;
    for (name, position) in contested {
        let free = [6, 10, 16, 32, 64]
            .into_iter()
            .map(|digits| suffixed(&identifiers[position], name, digits))
            .find(|identifier| {
                !known.contains(identifier.as_str()) && taken.insert(case_folded(identifier))
            });
        // A name given twice has nothing that tells it apart; callers promise there is none.
        if let Some(free) = free {
            identifiers[position] = free;
        }
    }
    identifiers
}

/// `identifier` and the first hex digits of the SHA-256 of `name`, within the longest length.
fn suffixed(identifier: &str, name: &str, digits: usize) -> String {
    let kept: String = identifier.chars().take(LONGEST - 1 - digits).collect();
    let mut suffixed = kept.trim_end_matches('_').to_owned();
    suffixed.push('_');
    suffixed.push_str(&crate::fingerprint::hex(&Sha256::digest(name.as_bytes()))[..digits]);
    suffixed
}

/// What a file system that ignores case compares.
fn case_folded(identifier: &str) -> String {
    if identifier.is_ascii() {
        identifier.to_ascii_lowercase()
    } else {
        identifier.to_uppercase().to_lowercase()
    }
}

#[cfg(test)]
mod tests;
