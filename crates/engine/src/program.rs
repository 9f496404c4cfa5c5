//! What somebody wants run: source code and the values it starts with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use unicode_normalization::{UnicodeNormalization, is_nfkc};

use crate::language::Language;

/// Variables by name. The values are JSON text, checked and otherwise untouched: a number
/// of any length arrives as it was sent.
pub type Context = BTreeMap<String, Box<RawValue>>;

/// One program, as the model or the user wrote it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Program {
    /// The source. Markdown fences around it are the engine's to remove.
    pub source: String,
    /// What it is written in. An engine runs programs of its own language only.
    #[serde(default)]
    pub language: Language,
    /// Values that become variables before the first line runs. They travel as
    /// data and are never pasted into the source.
    #[serde(default)]
    pub context: Context,
}

impl Program {
    /// A program without context.
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// The same program in a language.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// The same program with one more variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        // Writing a JSON value as JSON cannot fail; null would be the least surprise if it did.
        let value = serde_json::value::to_raw_value(&value.into());
        self.context.insert(name.into(), value.unwrap_or_else(|_| RawValue::NULL.to_owned()));
        self
    }
}

/// Words that Python keeps for itself.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Words that TypeScript keeps for itself.
const TYPESCRIPT_KEYWORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Whether a program of a language could have a variable of this name, and it means nothing to the
/// language itself.
#[must_use]
pub fn is_variable_of(language: Language, name: &str) -> bool {
    match language {
        Language::Python => is_variable(name),
        Language::TypeScript => {
            let is_start = |letter: char| letter.is_alphabetic() || letter == '_' || letter == '$';
            let mut letters = name.chars();
            letters.next().is_some_and(is_start)
                && letters.all(|letter| is_start(letter) || letter.is_alphanumeric())
                && !TYPESCRIPT_KEYWORDS.contains(&name)
                && name != "__proto__"
        }
    }
}

/// Whether a program could have a variable of this name, and it means nothing to Python itself. Python reads
/// names in their normal form (NFKC), so that no program would find one that is written otherwise.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && !KEYWORDS.contains(&name)
        && !(name.starts_with("__") && name.ends_with("__"))
        && is_nfkc(name)
}

/// What to do about a name that cannot be a variable, for whoever chose it.
#[must_use]
pub fn other_name(language: Language, name: &str) -> String {
    let read: String = name.nfkc().collect();
    if language == Language::Python && read != name && is_variable(&read) {
        return format!("name it {read:?}, its normal form, by which Python knows it");
    }
    "rename it to letters, digits and _".to_owned()
}

#[cfg(test)]
mod tests {
    use super::{is_variable, is_variable_of, other_name};
    use crate::language::Language::{Python, TypeScript};

    #[test]
    fn only_names_that_a_program_can_use_are_variables() {
        assert!(["a", "_b", "größe", "class_"].into_iter().all(is_variable));
        assert!(!["", "1a", "a-b", "class", "None", "__builtins__"].into_iter().any(is_variable));
        assert!(
            ["a", "$", "def", "größe"].into_iter().all(|name| is_variable_of(TypeScript, name))
        );
        assert!(
            !["", "1a", "new", "__proto__"]
                .into_iter()
                .any(|name| is_variable_of(TypeScript, name))
        );
        assert!(is_variable_of(Python, "new") && !is_variable_of(Python, "def"));
    }

    #[test]
    fn names_that_python_would_read_as_others_are_no_variables() {
        for (name, read) in [("ﬁ", "fi"), ("ªb", "ab"), ("ｘ", "x"), ("a\u{2126}", "a\u{3a9}")]
        {
            assert!(!is_variable(name) && is_variable_of(TypeScript, name), "{name}");
            let told = other_name(Python, name);
            assert!(told.starts_with(&format!("name it {read:?}")), "{name}: {told}");
        }
        assert!(["\u{e9}", "größe", "変数", "fi"].into_iter().all(is_variable));
        assert_eq!(other_name(Python, "a-b"), "rename it to letters, digits and _");
        assert_eq!(other_name(Python, "𝐝𝐞𝐟"), "rename it to letters, digits and _");
    }
}
