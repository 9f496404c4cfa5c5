//! Field names and labels: what the name of a field says about its value.
//!
//! A name is split into words at capitals, digits and punctuation. The whole of it is looked up
//! first (`createdBy`), then its last two words, then the last. A name ending in a word for
//! "name" is a person's if the word before it is a role (`customer_name`); `product_name` is not.

use std::collections::HashSet;

use crate::words::{self, Cue};

/// Longer names than this say nothing we know.
const LONGEST: usize = 64;

/// Field names, with those that the operator added.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    own: HashSet<String>,
}

impl Fields {
    /// The operator's own name fields; the first that has no letter is the error.
    pub(crate) fn new(own: &[String]) -> Result<Self, String> {
        let mut fields = Self::default();
        for name in own {
            let joined = split(name).concat();
            if joined.is_empty() {
                return Err(name.clone());
            }
            fields.own.insert(joined);
        }
        Ok(fields)
    }

    /// What a field's name says.
    pub(crate) fn cue(&self, name: &str) -> Cue {
        if name.len() > LONGEST || name.contains('@') {
            return Cue::NONE;
        }
        let words = split(name);
        let joined = words.concat();
        if self.own.contains(&joined) {
            return Cue::NAME;
        }
        of_words(&words, &joined)
    }
}

fn of_words(words: &[String], joined: &str) -> Cue {
    let Some((last, before)) = words.split_last() else {
        return Cue::NONE;
    };
    let whole = singular(joined);
    if whole != Cue::NONE {
        return whole;
    }
    // "address_space", "address_family": what is said about addresses, none itself.
    if matches!(
        last.as_str(),
        "space"
            | "bus"
            | "width"
            | "range"
            | "mode"
            | "family"
            | "length"
            | "size"
            | "bits"
            | "map"
            | "pool"
    ) && before.last().is_some_and(|word| singular(word).has(Cue::ADDRESS))
    {
        return Cue::ID;
    }
    let previous = before.last().map(String::as_str).unwrap_or_default();
    if singular(last).has(Cue::BARE_NAME) {
        return named(previous);
    }
    if let Some(cue) = phrase(words) {
        return cue;
    }
    let pair = words::cue(&format!("{previous}{last}"));
    if pair != Cue::NONE {
        return pair;
    }
    let end = singular(last);
    if matches!(previous, "mac" | "wallet" | "contract" | "memory" | "bus" | "web" | "token") {
        return Cue::ID;
    }
    if end.has(Cue::ADDRESS) && before.iter().any(|word| words::cue(word).has(Cue::IP)) {
        return Cue::IP;
    }
    if end.has(Cue::ID | Cue::VERSION) {
        return end;
    }
    // "phone_home", "tel_1", "card_number": the word that matters need not be the last. A role is
    // different: "customer_url" is no customer.
    let inside = before.iter().map(|word| words::cue(word)).find(|cue| {
        cue.has(
            Cue::PHONE
                | Cue::CARD
                | Cue::NATIONAL
                | Cue::IBAN
                | Cue::ID
                | Cue::EMAIL
                | Cue::STREET
                | Cue::ADDRESS,
        )
    });
    if end == Cue::NONE { inside.unwrap_or_default() } else { end }
}

/// "Name des Kunden" is a customer's name, "titular de la cuenta" somebody in a role.
fn phrase(words: &[String]) -> Option<Cue> {
    let (first, rest) = words.split_first()?;
    let first = singular(first);
    let linked = matches!(
        rest.first()?.as_str(),
        "de" | "del" | "du" | "des" | "della" | "do" | "da" | "van" | "der" | "of" | "d" | "dell"
    );
    if first.has(Cue::BARE_NAME | Cue::NAME) && singular(rest.last()?).has(Cue::ROLE) {
        return Some(Cue::NAME);
    }
    (linked && first.has(Cue::ROLE)).then_some(Cue::ROLE)
}

/// What `…_name` is, by the word before "name".
fn named(previous: &str) -> Cue {
    let cue = singular(previous);
    // What one logs in with.
    if previous == "user" {
        return Cue::NONE;
    }
    if cue.has(Cue::ROLE)
        || matches!(previous, "my" | "your" | "holders" | "cardholders" | "customers")
    {
        return Cue::NAME;
    }
    match previous {
        "" => Cue::BARE_NAME,
        "display" | "contact" => Cue::BARE_NAME | Cue::PERSON,
        _ => Cue::NONE,
    }
}

/// What a word says, or what it says without a plural's ending.
fn singular(word: &str) -> Cue {
    let cue = words::cue(word);
    if cue != Cue::NONE {
        return cue;
    }
    ["s", "es", "en", "n", "er"]
        .iter()
        .filter_map(|end| word.strip_suffix(end))
        .map(words::cue)
        .find(|cue| *cue != Cue::NONE && word.len() > 4)
        .unwrap_or_default()
}

/// The folded words of a name: "shipToAddress2" is ship, to, address.
fn split(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        let is_mark = ('\u{900}'..='\u{dff}').contains(&letter);
        if !letter.is_alphabetic() && !is_mark {
            take(&mut word, &mut words);
            was_lower = false;
            continue;
        }
        if letter.is_uppercase() && was_lower {
            take(&mut word, &mut words);
        }
        was_lower = letter.is_lowercase();
        words::fold(letter, &mut word);
    }
    take(&mut word, &mut words);
    words
}

fn take(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(name: &str) -> Cue {
        Fields::default().cue(name)
    }

    #[test]
    fn names_of_people_are_told_from_names_of_things() {
        for name in [
            "first_name",
            "lastName",
            "full-name",
            "customerName",
            "Vorname",
            "prénom",
            "patient_name",
            "姓名",
        ] {
            assert!(cue(name).has(Cue::NAME), "{name}");
        }
        for name in [
            "product_name",
            "fileName",
            "username",
            "host_name",
            "name_id",
            "customer_id",
            "author_url",
        ] {
            assert!(!cue(name).has(Cue::NAME | Cue::ROLE | Cue::BARE_NAME), "{name}");
        }
        for name in ["customer", "Authors", "createdBy", "assigned_to", "Kunde", "mitarbeiter"] {
            assert!(cue(name).has(Cue::ROLE), "{name}");
        }
    }

    #[test]
    fn numbers_are_told_apart_by_their_fields() {
        for name in [
            "phone",
            "phone_home",
            "mobileNumber",
            "tel1",
            "Handynummer",
            "téléphone",
            "work_phone",
            "電話番号",
        ] {
            assert!(cue(name).has(Cue::PHONE), "{name}");
        }
        for name in
            ["order_id", "tweet_id", "Bestellnummer", "tracking_number", "phone_id", "part_number"]
        {
            assert!(cue(name).has(Cue::ID), "{name}");
            assert!(!cue(name).has(Cue::PHONE), "{name}");
        }
        assert!(cue("client_ip").has(Cue::IP));
        assert!(cue("ip_address").has(Cue::IP));
        assert!(!cue("mac_address").has(Cue::ADDRESS));
        assert!(cue("address_line1").has(Cue::ADDRESS | Cue::STREET));
    }
}
