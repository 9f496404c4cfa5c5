//! What may be said of a call's arguments: `amount <= 1000`, `path under "/srv"`, `query reads`.
//!
//! ```text
//! condition = place ("==" | "!=" | "<" | "<=" | ">" | ">=") value
//!           | place ["not"] "in" "[" value, … "]"
//!           | place "under" text        a path in that folder
//!           | place "matches" text      a regular expression, of the whole text
//!           | place "reads"             SQL that changes nothing
//!           | place ("present" | "absent")
//! place     = name { "." name }         each element, where there is a list
//! value     = number | text | true | false | null
//! ```
//!
//! What cannot be judged, because an argument is missing, of another kind, or could be read in more
//! than one way, is neither true nor false: a rule that denies or asks takes it for true, one that
//! allows for false. The same goes for a list of which some elements fit and others do not.

mod beside;
mod value;

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};

pub(crate) use self::beside::{Takes, at_odds};
use self::value::{Comparison, compared, is_one_of, list, value};
use crate::alike::{alike, composed, unaccented};
use crate::{path, sql};

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Yes,
    No,
    /// Of some elements of a list, and of others not.
    Partly,
    /// Nobody can say.
    Unclear,
}

impl Holds {
    /// Of a truth that is known.
    pub(crate) fn known(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Whether the opposite holds.
    pub(crate) fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            other => other,
        }
    }

    /// Of two elements of one list.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Unclear, _) | (_, Self::Unclear) => Self::Unclear,
            _ => Self::Partly,
        }
    }
}

/// One condition.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// As it is written.
    text: String,
    place: Vec<String>,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Compare(Comparison, Value),
    In(Vec<Value>, bool),
    Under(Vec<String>),
    Matches(Pattern),
    Reads,
    Present(bool),
}

/// A regular expression of a whole text.
#[derive(Debug, Clone)]
struct Pattern {
    /// As it is written.
    exact: Regex,
    /// The same without case, and with dots for ends of lines too.
    loose: Regex,
}

impl Pattern {
    fn new(written: &str) -> Result<Self, String> {
        let whole = format!("^(?:{written})$");
        let wrong = |error: regex::Error| format!("has a pattern that cannot be read: {error}");
        let exact = Regex::new(&whole).map_err(wrong)?;
        let mut loose = RegexBuilder::new(&whole);
        loose.case_insensitive(true).dot_matches_new_line(true);
        Ok(Self { exact, loose: loose.build().map_err(wrong)? })
    }

    fn judge(&self, text: &str) -> Holds {
        if self.exact.is_match(text) {
            Holds::Yes
        } else if [text, &unaccented(text), &composed(text)]
            .iter()
            .any(|text| self.loose.is_match(text))
        {
            Holds::Unclear
        } else {
            Holds::No
        }
    }
}

/// Whether everything that is said of a call's arguments holds; what cannot be judged does not.
///
/// # Errors
/// When a condition cannot be read: which, and what is wrong with it.
pub fn all_hold<S: AsRef<str>>(
    conditions: &[S],
    arguments: &Map<String, Value>,
) -> Result<bool, String> {
    let mut all = true;
    for text in conditions {
        let text = text.as_ref();
        let condition = Condition::parse(text).map_err(|problem| format!("`{text}` {problem}"))?;
        all &= condition.holds(arguments) == Holds::Yes;
    }
    Ok(all)
}

/// The longest condition that is read.
const MOST_LETTERS: usize = 4096;

impl Condition {
    /// Reads one.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MOST_LETTERS {
            return Err(format!("has more than {MOST_LETTERS} letters"));
        }
        let trimmed = text.trim();
        let end =
            trimmed.find(|letter: char| !(letter.is_alphanumeric() || "_-.$".contains(letter)));
        let (place, rest) = trimmed.split_at(end.unwrap_or(trimmed.len()));
        let place: Vec<String> = place.split('.').map(str::to_owned).collect();
        if place.iter().any(String::is_empty) {
            return Err(
                "must begin with an argument's name, such as `amount` or `filter.repo`".into()
            );
        }
        let test = test(rest.trim()).map_err(|problem| format!("{problem}; {FORMS}"))?;
        Ok(Self { text: trimmed.to_owned(), place, test })
    }

    /// As it is written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds of a call.
    pub(crate) fn holds(&self, arguments: &Map<String, Value>) -> Holds {
        let mut found = Vec::new();
        collect_in(arguments, &self.place, &mut found);
        let judged = found.into_iter().map(|one| self.judge(one));
        judged.reduce(Holds::and).unwrap_or(Holds::Unclear)
    }

    fn judge(&self, found: Found<'_>) -> Holds {
        if let Test::Present(wanted) = self.test {
            return match found {
                Found::Missing | Found::Value(Value::Null) => Holds::known(!wanted),
                Found::Value(_) => Holds::known(wanted),
                Found::Unclear => Holds::Unclear,
            };
        }
        let Found::Value(value) = found else { return Holds::Unclear };
        let text = || value.as_str();
        match &self.test {
            Test::Compare(how, wanted) => compared(value, *how, wanted),
            Test::In(values, true) => is_one_of(value, values),
            Test::In(values, false) => is_one_of(value, values).not(),
            Test::Under(folder) => {
                text().map_or(Holds::Unclear, |text| path::is_under(text, folder))
            }
            Test::Matches(pattern) => text().map_or(Holds::Unclear, |text| pattern.judge(text)),
            // What is not sure to read may do so besides.
            Test::Reads if text().is_some_and(sql::only_reads) => Holds::Yes,
            Test::Reads | Test::Present(_) => Holds::Unclear,
        }
    }
}

const FORMS: &str = "write `amount <= 1000`, `repo in ['a', 'b']`, `path under '/srv'`, `title matches '[a-z]+'`, `query reads`, `force absent`";

/// What is at a place.
#[derive(Debug, Clone, Copy)]
enum Found<'a> {
    Value(&'a Value),
    Missing,
    /// Something that a server may take for it.
    Unclear,
}

/// Everything at a place. A list on the way stands for its elements.
fn collect<'a>(value: &'a Value, place: &[String], found: &mut Vec<Found<'a>>) {
    match value {
        // It has nothing that could break a rule, and nothing that could keep one.
        Value::Array(items) if items.is_empty() => found.push(Found::Unclear),
        Value::Array(items) => items.iter().for_each(|item| collect(item, place, found)),
        _ if place.is_empty() => found.push(Found::Value(value)),
        Value::Object(fields) => collect_in(fields, place, found),
        Value::Null => found.push(Found::Missing),
        _ => found.push(Found::Unclear),
    }
}

fn collect_in<'a>(fields: &'a Map<String, Value>, place: &[String], found: &mut Vec<Found<'a>>) {
    let Some((name, rest)) = place.split_first() else { return };
    let whole = place.join(".");
    let before = found.len();
    for (key, value) in fields {
        if key == name {
            collect(value, rest, found);
        } else if *key == whole {
            collect(value, &[], found);
        } else if alike(key, name) {
            // Some servers do not tell such names from each other.
            found.push(Found::Unclear);
        }
    }
    if found.len() == before {
        found.push(Found::Missing);
    }
}

fn test(text: &str) -> Result<Test, String> {
    const COMPARISONS: [(&str, Comparison); 6] = [
        ("==", Comparison::Is),
        ("!=", Comparison::IsNot),
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Less),
        (">", Comparison::More),
    ];
    for (sign, how) in COMPARISONS {
        if let Some(rest) = text.strip_prefix(sign) {
            let value = value(rest)?;
            if value.is_array() || value.is_object() {
                return Err("compares with a list or an object; use `in` for one of several".into());
            }
            let has_order = value.is_number() || value.is_string();
            if !has_order && !matches!(how, Comparison::Is | Comparison::IsNot) {
                return Err(format!("compares with {value}, which has no order"));
            }
            return Ok(Test::Compare(how, value));
        }
    }
    let (word, rest) = text
        .split_once(|letter: char| letter.is_whitespace() || letter == '[')
        .map_or((text, ""), |(word, _)| (word, text[word.len()..].trim()));
    match word {
        "in" => Ok(Test::In(list(rest)?, true)),
        "not" => {
            let rest = rest.strip_prefix("in").ok_or("has `not` without `in`")?;
            Ok(Test::In(list(rest)?, false))
        }
        "under" => match value(rest)? {
            Value::String(folder) => path::folder(&folder).map(Test::Under).ok_or_else(|| {
                "needs a whole path after `under`, without `..`, `//` and the like".into()
            }),
            _ => Err("needs a folder that begins with / after `under`".into()),
        },
        "matches" => match value(rest)? {
            Value::String(pattern) => Pattern::new(&pattern).map(Test::Matches),
            _ => Err("needs a text after `matches`".into()),
        },
        "reads" if rest.is_empty() => Ok(Test::Reads),
        "present" if rest.is_empty() => Ok(Test::Present(true)),
        "absent" if rest.is_empty() => Ok(Test::Present(false)),
        "" => Err("says nothing about the argument".into()),
        other => Err(format!("has {other:?}, which is no comparison")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(condition: &str, arguments: Value) -> Holds {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        Condition::parse(condition).unwrap().holds(&arguments)
    }

    #[test]
    fn numbers_are_compared_and_what_is_none_is_unclear() {
        assert_eq!(holds("amount <= 1000", json!({"amount": 1000})), Holds::Yes);
        assert_eq!(holds("amount <= 1000", json!({"amount": 1000.5})), Holds::No);
        assert_eq!(holds("amount <= 1000", json!({"amount": "5000"})), Holds::Unclear);
        assert_eq!(holds("amount > 1000", json!({"amount": 1e20})), Holds::Yes);
        assert_eq!(holds("amount <= 1000", json!({})), Holds::Unclear);
        assert_eq!(holds("amount == 1", json!({"amount": 1.0})), Holds::Yes);
    }

    #[test]
    fn values_of_another_kind_are_unclear() {
        for value in [json!("1"), json!(true), json!(null), json!({"value": 1}), json!([])] {
            assert_eq!(holds("n == 1", json!({ "n": value })), Holds::Unclear, "{value}");
            assert_eq!(holds("n != 1", json!({ "n": value })), Holds::Unclear, "{value}");
            assert_eq!(holds("n in [1, 2]", json!({ "n": value })), Holds::Unclear, "{value}");
            assert_eq!(holds("n not in [1, 2]", json!({ "n": value })), Holds::Unclear, "{value}");
            assert_eq!(holds("n < 1", json!({ "n": value })), Holds::Unclear, "{value}");
        }
        for value in [json!(7), json!(true), json!({"name": "x"}), json!(null)] {
            for condition in ["n == 'x'", "n matches 'x'", "n under '/x'", "n reads"] {
                assert_eq!(holds(condition, json!({ "n": value })), Holds::Unclear, "{value}");
            }
        }
        assert_eq!(holds("n == true", json!({"n": "true"})), Holds::Unclear);
        assert_eq!(holds("n == null", json!({"n": 1})), Holds::No);
        assert_eq!(holds("n == null", json!({"n": null})), Holds::Yes);
        assert_eq!(holds("n.m == 1", json!({"n": "m=1"})), Holds::Unclear);
        assert_eq!(holds("n.m == 1", json!({"n.m": 1})), Holds::Yes);
    }

    #[test]
    fn lists_hold_where_every_element_does_and_partly_where_some_do() {
        let arguments = || json!({"items": [{"quantity": 1}, {"quantity": 5}]});
        assert_eq!(holds("items.quantity <= 5", arguments()), Holds::Yes);
        assert_eq!(holds("items.quantity < 5", arguments()), Holds::Partly);
        assert_eq!(holds("items.quantity > 5", arguments()), Holds::No);
        assert_eq!(holds("items.quantity < 5", json!({"items": []})), Holds::Unclear);
        // What one of them lacks may be anything.
        let lacking = || json!({"items": [{"quantity": 1}, {}]});
        assert_eq!(holds("items.quantity <= 5", lacking()), Holds::Unclear);
        assert_eq!(holds("items.quantity absent", lacking()), Holds::Partly);
        assert_eq!(holds("items.quantity present", lacking()), Holds::Partly);
        assert_eq!(holds("repo in ['a/b', \"c\"]", json!({"repo": "a/b"})), Holds::Yes);
        assert_eq!(holds("repo not in ['it\u{2019}s']", json!({"repo": "a"})), Holds::Yes);
        assert_eq!(holds("repo in['a']", json!({"repo": ["a", "x"]})), Holds::Partly);
        assert_eq!(holds("repo in['a']", json!({"repo": ["x", ["y"]]})), Holds::No);
        assert_eq!(holds("repo in['a']", json!({"repo": ["x", {"y": "a"}]})), Holds::Unclear);
    }

    #[test]
    fn texts_that_may_be_taken_for_each_other_are_unclear() {
        for text in ["PROD", "prod ", "pr\u{43e}d", "p\u{200b}rod"] {
            assert_eq!(holds("env == 'prod'", json!({ "env": text })), Holds::Unclear, "{text}");
            assert_eq!(holds("env != 'prod'", json!({ "env": text })), Holds::Unclear, "{text}");
            assert_eq!(
                holds("env in ['prod', 'live']", json!({ "env": text })),
                Holds::Unclear,
                "{text}"
            );
        }
        assert_eq!(holds("env == 'prod'", json!({"env": "test"})), Holds::No);
        assert_eq!(holds("env < 'b'", json!({"env": "C"})), Holds::Unclear);
        // A server that does not tell such names from each other reads the other one.
        let twins = json!({"path": "/srv/a", "Path": "/etc/passwd"});
        assert_eq!(holds("path under '/srv'", twins), Holds::Unclear);
        assert_eq!(holds("path absent", json!({"PATH": "/etc"})), Holds::Unclear);
    }

    #[test]
    fn patterns_are_of_the_whole_text() {
        assert_eq!(holds("title matches '[a-z]+'", json!({"title": "abc"})), Holds::Yes);
        assert_eq!(holds("title matches 'a|b'", json!({"title": "ab"})), Holds::No);
        assert_eq!(holds("force absent", json!({"force": null})), Holds::Yes);
        assert_eq!(holds("force present", json!({"force": true})), Holds::Yes);
        for text in ["x\ndrop it", "DROP it", "dr\u{43e}p it"] {
            assert_eq!(
                holds("title matches '.*drop.*'", json!({ "title": text })),
                Holds::Unclear,
                "{text}"
            );
        }
        assert_eq!(holds("t matches '(?-i)[A-Z]+'", json!({"t": "abc"})), Holds::No);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for text in [
            "",
            "amount",
            "<= 3",
            "a ~ 3",
            "a <= x",
            "a in 3",
            "a matches '('",
            "a under 'x'",
            "a under '/x/../y'",
            "a == [1]",
            "a in [[1]]",
            "a not 3",
            "a <= true",
            "a == 'x",
            "a reads now",
        ] {
            let problem = Condition::parse(text).unwrap_err();
            assert!(
                problem.contains("write") || problem.contains("must begin"),
                "{text}: {problem}"
            );
        }
    }
}
