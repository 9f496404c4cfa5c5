//! What may be said of a call's arguments: `amount <= 1000`, `path under "/srv"`, `query reads`.
//!
//! ```text
//! condition = place ("==" | "!=" | "<" | "<=" | ">" | ">=") value
//!           | place ["not"] "in" "[" value, … "]"
//!           | place "under" text        a path in that folder
//!           | place "matches" text      a regular expression, of the whole text
//!           | place "reads"             SQL that changes nothing
//!           | place ("present" | "absent")
//! place     = name { "." name }         every element, where there is a list
//! value     = number | text | true | false | null
//! ```
//!
//! What cannot be judged, because an argument is missing or of another kind, is neither true nor
//! false: a rule that denies or asks takes it for true, one that allows for false.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::{Map, Value};

use crate::sql;

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Yes,
    No,
    /// Nobody can say.
    Unclear,
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
    Under(String),
    Matches(Regex),
    Reads,
    Present(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Is,
    IsNot,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// Whether everything that is said of a call's arguments holds; what cannot be judged does not.
///
/// # Errors
/// When a condition cannot be read: which, and what is wrong with it.
pub fn all_hold<S: AsRef<str>>(
    conditions: &[S],
    arguments: &Map<String, Value>,
) -> Result<bool, String> {
    for text in conditions {
        let text = text.as_ref();
        let condition = Condition::parse(text).map_err(|problem| format!("`{text}` {problem}"))?;
        if condition.holds(arguments) != Holds::Yes {
            return Ok(false);
        }
    }
    Ok(true)
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
        let Some((first, rest)) = self.place.split_first() else { return Holds::Unclear };
        let mut found = Vec::new();
        if let Some(value) = arguments.get(first) {
            collect(value, rest, &mut found);
        }
        if let Test::Present(wanted) = self.test {
            let is_there = found.iter().any(|value| !value.is_null());
            return if is_there == wanted { Holds::Yes } else { Holds::No };
        }
        if found.is_empty() {
            return Holds::Unclear;
        }
        let judged: Vec<Holds> = found.into_iter().map(|value| self.judge(value)).collect();
        // Of a list, every element has to pass.
        if judged.contains(&Holds::No) {
            Holds::No
        } else if judged.contains(&Holds::Unclear) {
            Holds::Unclear
        } else {
            Holds::Yes
        }
    }

    fn judge(&self, value: &Value) -> Holds {
        let known = |holds: bool| if holds { Holds::Yes } else { Holds::No };
        match &self.test {
            Test::Compare(Comparison::Is, wanted) => known(same(value, wanted)),
            Test::Compare(Comparison::IsNot, wanted) => known(!same(value, wanted)),
            Test::Compare(how, wanted) => match order(value, wanted) {
                Some(order) => known(match how {
                    Comparison::Less => order == Ordering::Less,
                    Comparison::AtMost => order != Ordering::Greater,
                    Comparison::More => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }),
                None => Holds::Unclear,
            },
            Test::In(values, wanted) => known(values.iter().any(|one| same(one, value)) == *wanted),
            Test::Under(folder) => {
                value.as_str().map_or(Holds::Unclear, |path| known(is_under(path, folder)))
            }
            Test::Matches(pattern) => {
                value.as_str().map_or(Holds::Unclear, |text| known(pattern.is_match(text)))
            }
            Test::Reads => {
                value.as_str().map_or(Holds::Unclear, |text| known(sql::only_reads(text)))
            }
            Test::Present(_) => Holds::Unclear,
        }
    }
}

const FORMS: &str = "write `amount <= 1000`, `repo in ['a', 'b']`, `path under '/srv'`, `title matches '[a-z]+'`, `query reads`, `force absent`";

/// Every value at a place. A list on the way stands for its elements.
fn collect<'a>(value: &'a Value, place: &[String], found: &mut Vec<&'a Value>) {
    match (value, place.split_first()) {
        (Value::Array(items), _) => {
            // An empty list has nothing that could break a rule, and nothing that could keep one.
            for item in items {
                collect(item, place, found);
            }
        }
        (_, None) => found.push(value),
        (Value::Object(fields), Some((name, rest))) => {
            if let Some(value) = fields.get(name) {
                collect(value, rest, found);
            }
        }
        _ => {}
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
            Value::String(folder) if folder.starts_with('/') => Ok(Test::Under(folder)),
            _ => Err("needs a folder that begins with / after `under`".into()),
        },
        "matches" => match value(rest)? {
            Value::String(pattern) => Regex::new(&format!("^(?:{pattern})$"))
                .map(Test::Matches)
                .map_err(|error| format!("has a pattern that cannot be read: {error}")),
            _ => Err("needs a text after `matches`".into()),
        },
        "reads" if rest.is_empty() => Ok(Test::Reads),
        "present" if rest.is_empty() => Ok(Test::Present(true)),
        "absent" if rest.is_empty() => Ok(Test::Present(false)),
        "" => Err("says nothing about the argument".into()),
        other => Err(format!("has {other:?}, which is no comparison")),
    }
}

fn list(text: &str) -> Result<Vec<Value>, String> {
    match value(text)? {
        Value::Array(values) => Ok(values),
        _ => Err("needs a list such as ['a', 'b'] after `in`".into()),
    }
}

/// A value, with texts in either kind of quotes.
fn value(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let json = if text.contains('\'') { double_quoted(text)? } else { text.to_owned() };
    serde_json::from_str(&json)
        .map_err(|_| format!("has {text:?}, which is no number, text, list, true, false or null"))
}

/// The same with every text in double quotes.
fn double_quoted(text: &str) -> Result<String, String> {
    let mut whole = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\'' && letter != '"' {
            whole.push(letter);
            continue;
        }
        let mut inside = String::new();
        loop {
            match letters.next() {
                None => return Err("has a text that does not end".into()),
                Some('\\') if letter == '"' => {
                    inside.push('\\');
                    inside.extend(letters.next());
                }
                Some(one) if one == letter => break,
                Some(one) => inside.push(one),
            }
        }
        if letter == '"' {
            whole.push('"');
            whole.push_str(&inside);
            whole.push('"');
        } else {
            whole.push_str(&Value::String(inside).to_string());
        }
    }
    Ok(whole)
}

/// Whether two values are the same; 1 and 1.0 are.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => order(one, other) == Some(Ordering::Equal),
        _ => one == other,
    }
}

fn order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Number(one), Value::Number(other)) => match (one.as_i128(), other.as_i128()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        _ => None,
    }
}

/// Whether a path lies in a folder, whatever dots are in it. Nothing is looked up: a link that leads
/// out of the folder is the server's affair.
fn is_under(path: &str, folder: &str) -> bool {
    let Some(path) = plain(path) else { return false };
    plain(folder).is_some_and(|folder| path.starts_with(&folder))
}

/// The parts of an absolute path; nothing if it leads above its root, is relative or hides something.
fn plain(path: &str) -> Option<Vec<&str>> {
    if path.contains(['\0', '\\', '%']) {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts)
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
    fn lists_hold_where_every_element_does() {
        let arguments = || json!({"items": [{"quantity": 1}, {"quantity": 5}]});
        assert_eq!(holds("items.quantity <= 5", arguments()), Holds::Yes);
        assert_eq!(holds("items.quantity < 5", arguments()), Holds::No);
        assert_eq!(holds("items.quantity < 5", json!({"items": []})), Holds::Unclear);
        assert_eq!(holds("repo in ['a/b', \"c\"]", json!({"repo": "a/b"})), Holds::Yes);
        assert_eq!(holds("repo not in ['it\u{2019}s']", json!({"repo": "a"})), Holds::Yes);
        assert_eq!(holds("repo in['a']", json!({"repo": ["a", "x"]})), Holds::No);
    }

    #[test]
    fn paths_stay_in_their_folder() {
        let is = |path: &str| holds("path under '/srv/data'", json!({ "path": path }));
        assert_eq!(is("/srv/data/a.txt"), Holds::Yes);
        assert_eq!(is("/srv/data"), Holds::Yes);
        assert_eq!(is("/srv//data/./x"), Holds::Yes);
        for path in [
            "/srv/database",
            "/srv/data/../x",
            "data/x",
            "/srv/data/../../etc/passwd",
            "/../srv/data/x",
            "/srv/data/%2e%2e/x",
            "\\srv\\data",
            "/srv/data/\0/x",
            "",
        ] {
            assert_eq!(is(path), Holds::No, "{path:?}");
        }
    }

    #[test]
    fn patterns_are_of_the_whole_text() {
        assert_eq!(holds("title matches '[a-z]+'", json!({"title": "abc"})), Holds::Yes);
        assert_eq!(holds("title matches 'a|b'", json!({"title": "ab"})), Holds::No);
        assert_eq!(holds("force absent", json!({"force": null})), Holds::Yes);
        assert_eq!(holds("force present", json!({"force": true})), Holds::Yes);
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
