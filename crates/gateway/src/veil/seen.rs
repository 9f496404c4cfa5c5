//! What was found in answers, so that it is found again where nothing around it says what it is: a program
//! takes a name out of its field and prints it.
//!
//! Values are looked up by where they begin and how long they are, so that the time does not grow with how many
//! of them there are.

use std::borrow::Cow;
use std::collections::HashMap;

use privacy::{Key, Vault};

use super::echo::{changed, escapes, is_short};
use super::percent::encoded;

/// Values of all owners that are looked for at most. Beyond that all are read again from where they are kept,
/// the newest of an owner first.
pub(super) const MOST: usize = 50_000;
/// What is longer is found by what it looks like, or not at all.
const LONGEST: usize = 1 << 10;
/// How many bytes a value is looked up by.
const START: usize = 2;

/// What is looked for, by owner.
#[derive(Debug, Default)]
pub(super) struct Seen {
    owners: HashMap<String, Known>,
    count: usize,
}

/// What is looked for in texts of one owner.
#[derive(Debug, Default)]
pub(super) struct Known {
    forms: HashMap<String, Form>,
    /// How long the forms are that begin like this, the longest first.
    lengths: HashMap<[u8; START], Vec<usize>>,
    /// When the last of them was kept that was read from the database.
    read_until: i64,
}

#[derive(Debug)]
struct Form {
    token: String,
    /// It counts as a whole word only.
    is_word: bool,
}

impl Seen {
    /// Looks for these from now on.
    pub(super) fn take(&mut self, owner: &str, vault: &Vault) {
        self.take_all(owner, vault.entries().map(|(token, value, _)| (token, value)));
    }

    /// The same with what another process kept, up to this moment.
    pub(super) fn take_kept(&mut self, owner: &str, kept: &[(String, String)], until: i64) {
        let all = kept.iter().map(|(token, value)| (token.as_str(), value.as_str()));
        self.take_all(owner, all);
        if let Some(known) = self.owners.get_mut(owner) {
            known.read_until = until;
        }
    }

    fn take_all<'v>(&mut self, owner: &str, all: impl Iterator<Item = (&'v str, &'v str)>) {
        if self.count >= MOST {
            self.forget();
        }
        let known = self.owners.entry(owner.to_owned()).or_default();
        for (token, value) in all {
            self.count += usize::from(known.take(token, value));
        }
    }

    /// Looks for nothing any more, until it is told again.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Until when what is kept of an owner was read.
    pub(super) fn read_until(&self, owner: &str) -> i64 {
        self.owners.get(owner).map_or(0, |known| known.read_until)
    }

    /// The text with tokens for what was seen in answers to this owner; `None` where nothing of it is there.
    pub(super) fn masked(&self, owner: &str, text: &str) -> Option<String> {
        let known = self.owners.get(owner)?;
        known.masked(text, &|_, token| token.to_owned())
    }

    /// A line without what was seen in answers to anybody. What stands there instead cannot be put back.
    pub(super) fn logged<'t>(&self, line: &'t str, key: &Key) -> Cow<'t, str> {
        let instead = |value: &str, token: &str| {
            let kind = token.split('_').next().unwrap_or_default();
            let mut mark = key.mark(kind, value);
            mark.truncate(12);
            format!("{kind}_{mark}")
        };
        let without = |line: Cow<'t, str>, known: &Known| {
            known.masked(&line, &instead).map_or(line, Cow::Owned)
        };
        self.owners.values().fold(Cow::Borrowed(line), without)
    }
}

impl Known {
    /// Whether it is new.
    fn take(&mut self, token: &str, value: &str) -> bool {
        let value = value.trim();
        // One letter alone stands for too much else.
        if value.chars().nth(1).is_none() || value.len() > LONGEST || self.forms.contains_key(value)
        {
            return false;
        }
        let is_word = is_short(value);
        let mut forms = escapes(value);
        forms.push(encoded(value));
        forms.push(encoded(value).replace("%20", "+"));
        forms.push(value.to_owned());
        for form in forms {
            let Some(start) = start(&form) else { continue };
            let lengths = self.lengths.entry(start).or_default();
            if let Err(at) = lengths.binary_search_by(|length| form.len().cmp(length)) {
                lengths.insert(at, form.len());
            }
            self.forms.entry(form).or_insert(Form { token: token.to_owned(), is_word });
        }
        true
    }

    fn masked(&self, text: &str, instead: &dyn Fn(&str, &str) -> String) -> Option<String> {
        changed(text, &|words| self.in_words(words, instead), &|number| {
            self.forms.get(number).map(|form| instead(number, &form.token))
        })
    }

    fn in_words(&self, text: &str, instead: &dyn Fn(&str, &str) -> String) -> Option<String> {
        let mut masked = String::new();
        let (mut at, mut from) = (0, 0);
        while at < text.len() {
            match self.at(text, at) {
                Some((length, form)) => {
                    masked.push_str(&text[from..at]);
                    masked.push_str(&instead(&text[at..at + length], &form.token));
                    at += length;
                    from = at;
                }
                None => at += 1,
            }
        }
        if from == 0 {
            return None;
        }
        masked.push_str(&text[from..]);
        Some(masked)
    }

    /// The longest that stands here.
    fn at(&self, text: &str, at: usize) -> Option<(usize, &Form)> {
        let lengths = self.lengths.get(&start(text.as_bytes().get(at..)?)?)?;
        let fits = |length: &usize| {
            let form = self.forms.get(text.get(at..at + length)?)?;
            let touches = || {
                is_part(text[..at].chars().next_back())
                    || is_part(text[at + length..].chars().next())
            };
            (!form.is_word || !touches()).then_some((*length, form))
        };
        lengths.iter().find_map(fits)
    }
}

fn start(text: impl AsRef<[u8]>) -> Option<[u8; START]> {
    text.as_ref().first_chunk().copied()
}

/// What a token begins with is no word, and neither are parts of a variable's name.
fn is_part(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(values: &[(&str, &str)]) -> Seen {
        let mut seen = Seen::default();
        seen.take_all("ann", values.iter().copied());
        seen
    }

    #[test]
    fn values_are_found_wherever_and_however_they_stand() {
        let seen = seen(&[
            ("NAME_1", "Hannelore"),
            ("NAME_2", "Hannelore Vögt"),
            ("ADDRESS_1", "Flat 3,\n\"Haus\" 4"),
            ("PHONE_1", "491701234567"),
        ]);
        let masked = |text: &str| seen.masked("ann", text).unwrap_or_else(|| text.to_owned());
        assert_eq!(masked("Hannelore Vögt, Hannelore!"), "NAME_2, NAME_1!");
        assert_eq!(masked("Hannelores hannelore_x"), "Hannelores hannelore_x");
        assert_eq!(masked("a\nFlat 3,\\n\\\"Haus\\\" 4"), "a\nADDRESS_1");
        assert_eq!(masked("?q=Hannelore%20V%C3%B6gt&r=Hannelore+V%C3%B6gt"), "?q=NAME_2&r=NAME_2");
        assert_eq!(masked("{'name': 'Hannelore V\\u00f6gt'}"), "{'name': 'NAME_2'}");
        assert_eq!(
            masked("{\"n\": 491701234567, \"m\": 1.50, \"Hannelore\": \"x\"}"),
            "{\"n\": \"PHONE_1\", \"m\": 1.50, \"NAME_1\": \"x\"}"
        );
        assert_eq!(seen.masked("bob", "Hannelore"), None);
    }

    #[test]
    fn no_more_is_looked_for_than_may_be() {
        let mut seen = Seen::default();
        for round in 0..3 {
            let values: Vec<(String, String)> =
                (0..MOST).map(|at| ("NAME_1".to_owned(), format!("Person {round} {at}"))).collect();
            seen.take_kept("ann", &values, 7);
            assert!(seen.count <= 2 * MOST, "{}", seen.count);
        }
        assert!(seen.masked("ann", "Person 2 49999").is_some());
        // What was forgotten is read again.
        seen.take_all("ann", std::iter::once(("NAME_1", "Person 9")));
        assert_eq!(seen.read_until("ann"), 0);
    }

    #[test]
    fn a_long_text_takes_as_long_as_it_is() {
        let names: Vec<String> =
            (0..MOST).map(|at| format!("Anna {at:0>width$}", width = at % 90)).collect();
        let mut seen = Seen::default();
        seen.take_all("ann", names.iter().map(|name| ("NAME_1", name.as_str())));
        let text = "Anna 0 An Anna ".repeat(100_000);
        let begun = std::time::Instant::now();
        seen.masked("ann", &text);
        assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
