//! Which entries somebody looks for.

use serde_json::Value;

use crate::entry::{Entry, Source};
use crate::word::{Kind, Outcome};

/// What an entry has to be like. Whatever is left out does not matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// One of these kinds; any, if there are none.
    pub kinds: Vec<Kind>,
    /// This owner's.
    pub owner: Option<String>,
    /// In this session.
    pub session: Option<String>,
    /// In this run.
    pub run: Option<String>,
    /// Whose subject is like this, with `*` for any letters and `?` for one.
    pub subject: Option<String>,
    /// That went like this.
    pub outcome: Option<Outcome>,
    /// Not before this time, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Before this time, in milliseconds since 1970.
    pub until: Option<u64>,
    /// With this text in any field, whatever the case of its letters.
    pub text: Option<String>,
    /// No more than so many.
    pub limit: Option<usize>,
    /// Which come first.
    pub order: Order,
}

/// Which entries come first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The last that was written.
    #[default]
    NewestFirst,
    /// The first that was written.
    OldestFirst,
}

impl Filter {
    /// Whether an entry is wanted.
    #[must_use]
    pub fn matches(&self, entry: &Entry) -> bool {
        let same = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == found)
        };
        (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
            && same(&self.owner, &entry.owner)
            && same(&self.session, &entry.session)
            && same(&self.run, &entry.run)
            && self.subject.as_ref().is_none_or(|glob| is_like(glob, &entry.subject))
            && (self.outcome.is_none() || self.outcome == entry.outcome)
            && self.since.is_none_or(|since| entry.time >= since)
            && self.until.is_none_or(|until| entry.time < until)
            && self.text.as_ref().is_none_or(|text| contains(entry, &text.to_lowercase()))
    }

    /// Whether nothing is asked of an entry, so that a redacted one is wanted too.
    pub(crate) fn is_open(&self) -> bool {
        let Self { kinds, owner, session, run, subject, outcome, since, until, text, .. } = self;
        kinds.is_empty()
            && [owner, session, run, subject, text].iter().all(|one| one.is_none())
            && outcome.is_none()
            && since.is_none()
            && until.is_none()
    }
}

/// Whether a text is like a pattern with `*` and `?`.
///
/// Goes back to the last `*` only, so it takes no longer than the product of both lengths.
pub(crate) fn is_like(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut at, mut in_text) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, in_text));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[in_text] => {
                at += 1;
                in_text += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                (at, in_text) = (star_at + 1, taken + 1);
            }
        }
    }
    glob[at..].iter().all(|letter| *letter == '*')
}

fn contains(entry: &Entry, text: &str) -> bool {
    let has = |found: &str| found.to_lowercase().contains(text);
    let outcome = entry.outcome.as_ref().map_or("", Outcome::name);
    let source = match &entry.source {
        Some(Source::Text(source)) => source.clone(),
        Some(Source::Sha256(hash)) => hash.to_string(),
        None => String::new(),
    };
    [&entry.owner, &entry.session, &entry.run, &entry.subject, &source].iter().any(|one| has(one))
        || has(outcome)
        || has(entry.kind.name())
        || contained(&entry.details, &has)
}

fn contained(value: &Value, has: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => has(&number.to_string()),
        Value::String(text) => has(text),
        Value::Array(items) => items.iter().any(|item| contained(item, has)),
        Value::Object(fields) => fields.iter().any(|(key, item)| has(key) || contained(item, has)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pattern_is_like_what_it_stands_for() {
        for (glob, text, like) in [
            ("crm.*", "crm.search", true),
            ("crm.*", "crmsearch", false),
            ("*.delete", "crm.delete", true),
            ("*a*b*c", "xaxbxc", true),
            ("*a*b*c", "xaxcxb", false),
            ("c?m.*", "crm.", true),
            ("", "", true),
            ("", "x", false),
            ("*", "", true),
            ("?", "ö", true),
        ] {
            assert_eq!(is_like(glob, text), like, "{glob} {text}");
        }
    }

    #[test]
    fn text_is_found_in_any_field() {
        let mut entry = Entry::new(Kind::Call);
        entry.details = json!({ "rows": [{ "Name": "Ann \"the\" boss" }, 4711] });
        for text in ["ann \"the\"", "NAME", "4711", "call"] {
            let filter = Filter { text: Some(text.into()), ..Filter::default() };
            assert!(filter.matches(&entry), "{text}");
        }
        let filter = Filter { text: Some("bob".into()), ..Filter::default() };
        assert!(!filter.matches(&entry));
    }

    proptest! {
        #[test]
        fn every_text_is_like_itself_with_stars_in_it(text in "[a-c*]{0,20}", at in 0_usize..20) {
            let text = text.replace('*', "d");
            let (before, after) = text.split_at(at.min(text.len()));
            let glob = format!("{before}*{after}");
            prop_assert!(is_like(&glob, &text));
        }
    }
}
