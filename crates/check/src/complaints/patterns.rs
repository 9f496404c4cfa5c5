//! Texts that certainly are not what they are read as: `json.loads("{'a': 1}")`, `re.compile("(abc")`.
//!
//! Only what Python refuses in any mode counts: it takes more than JSON has, and a verbose pattern may
//! have anything in its comments.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::Ranged as _;
use serde::de::IgnoredAny;

use super::Judge;
use crate::finding::{Mistake, raises};

/// Functions of `re` that read a pattern at once.
const PATTERNS: &[&str] =
    &["compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"];

impl<'a> Judge<'_, 'a, '_> {
    /// A call that reads a text that it certainly cannot read.
    pub(super) fn unreadable(&self, call: &'a ExprCall) -> Option<Mistake> {
        let (module, function) = self.names.standard(&call.func)?;
        // Somebody may have put something else there.
        if self.trust.sets_attribute(function) {
            return None;
        }
        let arguments = &call.arguments;
        match (module, function) {
            ("json", "loads") if arguments.keywords.is_empty() => {
                let [only] = &arguments.args[..] else { return None };
                let why = no_json(self.text(only)?)?;
                let message = format!("json.loads() finds no JSON in this text: {why}");
                Some(self.crash(only.range(), message, raises::JSON))
            }
            ("re", function) if PATTERNS.contains(&function) => {
                let named = || arguments.find_keyword("pattern").map(|one| &one.value);
                let pattern = arguments.args.first().or_else(named)?;
                let why = no_pattern(self.text(pattern)?)?;
                let message = format!(
                    "re.{function}() cannot read this pattern: {why}; re.escape() makes a pattern of any text"
                );
                Some(self.crash(pattern.range(), message, raises::PATTERN))
            }
            _ => None,
        }
    }

    /// The text that stands there, or in the variable that is named.
    fn text(&self, expression: &'a Expr) -> Option<&'a str> {
        let literal = match expression {
            Expr::Name(name) if self.is_its_own(name.id.as_str()) => {
                self.names.constant(self.tree, expression)?
            }
            other => other,
        };
        literal.as_string_literal_expr().map(|text| text.value.to_str())
    }
}

/// Why a text is no JSON for Python, if it is none.
fn no_json(text: &str) -> Option<String> {
    // Python takes these, and half of a letter that JSON writes in two.
    if ["NaN", "Infinity", "\\u"].iter().any(|one| text.contains(one)) {
        return None;
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let close: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    Some(if close.is_empty() {
        "it is empty".to_owned()
    } else if text.contains('\'') && !text.contains('"') {
        "JSON has double quotes around keys and texts; ast.literal_eval() reads what Python writes"
            .to_owned()
    } else if ["True", "False", "None"].iter().any(|one| text.contains(one)) {
        "JSON writes true, false and null; ast.literal_eval() reads what Python writes".to_owned()
    } else if close.contains(",}") || close.contains(",]") {
        "a comma stands before a closing bracket".to_owned()
    } else {
        error.to_string()
    })
}

/// Why a text is no regular expression, as far as its brackets and what it begins with tell.
fn no_pattern(pattern: &str) -> Option<&'static str> {
    if pattern.contains('#') {
        return None;
    }
    let letters: Vec<char> = pattern.chars().collect();
    let (mut at, mut open, mut begins) = (0, 0_usize, true);
    while let Some(letter) = letters.get(at) {
        at += 1;
        let began = std::mem::replace(&mut begins, false);
        match letter {
            '\\' if at == letters.len() => return Some("it ends in a backslash that is alone"),
            '\\' => at += 1,
            '[' => match end_of_set(&letters, at) {
                Some(end) => at = end,
                None => return Some("a '[' is never closed; write \\[ for the sign itself"),
            },
            '(' if letters.get(at) == Some(&'?') => {
                at += 1;
                open += 1;
            }
            '(' => {
                open += 1;
                begins = true;
            }
            ')' if open == 0 => {
                return Some("a ')' closes nothing; write \\) for the sign itself");
            }
            ')' => open -= 1,
            '|' => begins = true,
            '*' | '+' | '?' if began => {
                return Some(
                    "there is nothing before *, + or ? to repeat; write \\*, \\+ or \\? for the sign itself, and .* for any letters",
                );
            }
            _ => {}
        }
    }
    (open > 0).then_some("a '(' is never closed; write \\( for the sign itself")
}

/// Where a set of letters ends that begins at `at`, after its bracket.
fn end_of_set(letters: &[char], mut at: usize) -> Option<usize> {
    if letters.get(at) == Some(&'^') {
        at += 1;
    }
    // The first one is no end.
    if letters.get(at) == Some(&']') {
        at += 1;
    }
    loop {
        match letters.get(at)? {
            '\\' => at += 2,
            ']' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_reads_is_a_pattern() {
        for pattern in [
            "",
            "(abc)",
            r"\(abc",
            r"[(]abc",
            "[]abc]",
            "[^]]+",
            r"[\]]",
            "a|",
            "|a",
            "(|a)",
            "(?:a)?",
            "(?P<name>a)(?P=name)",
            "(a)?(?(1)b|c)",
            "(?i)abc",
            "a*?b+?c??",
            "a*+",
            "a{2}",
            "{a}*",
            "]",
            "}",
            "^$",
            "(?x) ( # a bracket: (\n)",
            r"\\",
            r"a\|*",
        ] {
            assert_eq!(no_pattern(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn brackets_and_signs_that_repeat_nothing_are_told() {
        for pattern in [
            "(abc", "abc)", "[abc", "[]", "[^]", "*.py", "+", "?", "(*a)", "a|*", "a\\", "((a)",
            r"[\]",
        ] {
            assert!(no_pattern(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn what_python_reads_is_json() {
        for text in
            ["1", " [1, 2.5e3] ", "{\"a\": null}", "NaN", "[-Infinity]", r#""\ud800""#, "1e999"]
        {
            assert_eq!(no_json(text), None, "{text}");
        }
        let quotes = no_json("{'a': 1}").unwrap_or_default();
        assert!(quotes.contains("double quotes"), "{quotes}");
        let words = no_json("{\"a\": True}").unwrap_or_default();
        assert!(words.contains("true, false and null"), "{words}");
        let comma = no_json("[1, 2,]").unwrap_or_default();
        assert!(comma.contains("comma"), "{comma}");
        assert_eq!(no_json(" ").as_deref(), Some("it is empty"));
        assert!(no_json("{\"a\": 1").is_some());
    }
}
